/* handed.h - functions that are handed on: see handed.c. */
#pragma once
#include "assess/javascript.h"

/* A function that is an argument is being entered: its parameters are what it will be called with. */
void bawn_js_enter(struct script *s, uint32_t function);
/* After a call: the functions it was given get its data. */
void bawn_js_hand(struct script *s, const struct call *c, struct value *result, uint64_t tags);
/* x.onmessage = f: as if it had been given to x.on('message', ...). */
void bawn_js_handler(struct script *s, uint32_t target, uint32_t f);
