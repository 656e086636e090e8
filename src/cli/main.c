/* main.c - the front door; everything else is in the library `cli`. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
	return bawn_cli_main(argc, argv);
}
