/* words.h - short names for languages and levels in rows of code. */
#pragma once
#include "assess/assess.h"

#define PY BAWN_LANG_PYTHON
#define SH BAWN_LANG_BASH
#define JS BAWN_LANG_JAVASCRIPT
#define LOW BAWN_LEVEL_LOW
#define MEDIUM BAWN_LEVEL_MEDIUM
#define HIGH BAWN_LEVEL_HIGH
#define BLOCKED BAWN_LEVEL_BLOCKED
