/* inside.h - what is put into a container's image, and what the outside has to know of it. */
#pragma once
#include <stdint.h>

#define BAWN_INSIDE_PATH  "/.bawn/inside"
#define BAWN_INSIDE_WAY   "/.bawn/way"     /* with a network: the socket that it hands its port out by; else empty */
#define BAWN_INSIDE_CA    "/code/.ca-certificates.crt"  /* and whom to believe outside: the root is the image's */
#define BAWN_INSIDE_HANDS_OUT 1u           /* the one message there: no payload, one descriptor */
#define BAWN_INSIDE_TASKS 4u               /* PID 1 and its three threads, counted by the container's pids limit */
#define BAWN_INSIDE_ROOM  (1ull << 40)     /* of what is handed in: core and the tmpfs have the say */
