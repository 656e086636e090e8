/* banned.h - functions that do not compile here; force-included into every file of ours.  System
 * headers that mention them come first. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef alloca
#undef sprintf   /* macros under clang, where the C library checks them */
#undef vsprintf
#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atof alloca system popen gets mktemp tmpnam
