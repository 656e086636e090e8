/* grammar.h - put in front of the grammars' scanners: their memory is the parser's memory (tree.c). */
#pragma once
#include <stdlib.h>

extern void *(*ts_current_malloc)(size_t size);
extern void *(*ts_current_calloc)(size_t count, size_t size);
extern void *(*ts_current_realloc)(void *ptr, size_t size);
extern void (*ts_current_free)(void *ptr);

#define malloc  ts_current_malloc
#define calloc  ts_current_calloc
#define realloc ts_current_realloc
#define free    ts_current_free
