/* sanitized.h - SANITIZED: whether this is a build with AddressSanitizer, which is slow and has memory of its own. */
#pragma once
#if defined(__has_feature)
#if __has_feature(address_sanitizer)  /* how clang says it */
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED)
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#endif
