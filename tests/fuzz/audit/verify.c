#include "check.h"
int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	check_verify((const char *)p, n);
	return 0;
}
