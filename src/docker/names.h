/* names.h - how what we make at an engine is called: everything has labels, so that it can be found again. */
#pragma once
#include <stdbool.h>
#include <string.h>

#define BAWN_LABEL_RUN    "org.bawn.run"      /* a run's container: the execution */
#define BAWN_LABEL_SLOT   "org.bawn.slot"     /* its slot's number, or "probe" */
#define BAWN_LABEL_SLOTS  "org.bawn.slots"    /* the directory of the lock files, by device and inode */
#define BAWN_LABEL_BY     "org.bawn.by"       /* the launcher: its process namespace, number and start */
#define BAWN_LABEL_BOOT   "org.bawn.boot"     /* the host's boot id */
#define BAWN_LABEL_BASE   "org.bawn.base"     /* our image: what it was made of */
#define BAWN_LABEL_INSIDE "org.bawn.inside"   /* and with which init */
#define BAWN_LABEL_MAKING "org.bawn.making"   /* a container that becomes an image */
#define BAWN_IMAGE_REPO   "bawn-inside"

/* An id goes into paths of requests: nothing else may. */
static inline bool bawn_is_container_id(const char *text)
{
	return text != NULL && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}
