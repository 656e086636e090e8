/* content.h - a document as the result of a tool: structured, as text, and its pictures. */
#pragma once
#include "base/json.h"

/* {content: [text], structuredContent, isError}; takes the document.  NULL: out of memory. */
json_t *bawn_mcp_content(json_t *doc_stolen, bool is_error);

/* Another text after the JSON. */
void bawn_mcp_content_say(json_t *result, const char *text, bool *ok);

/* Looks through doc.files, which were copied to `dir`, for pictures by their first bytes: adds doc.images, and what
 * is attached, in order, to `blocks` as image content. */
void bawn_mcp_images(json_t *doc, const char *dir, json_t *blocks, bool *ok);
