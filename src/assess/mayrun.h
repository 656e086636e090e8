/* mayrun.h - texts of a Python program that it may run by ways that are not followed. */
#pragma once
#include "assess/script.h"

/* At the end of a program, when it is known whether it runs texts that are not. */
void bawn_script_may_run(struct script *s);
