#include "check.h"
int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	check_bundle((const char *)p, n);
	return 0;
}
