/* world.h - what a program sets for itself and for whatever it starts: see world.c. */
#pragma once
#include "assess/script.h"

/* object[key] = v, where the object may be the environment or the table of modules. */
void bawn_world_item(struct script *s, const struct value *object, const struct value *key, struct value *v, uint32_t node);
/* The same said by a call: os.environ.update(...), sys.modules.setdefault(...), os.putenv(...); and os.chdir(...). */
void bawn_world_call(struct script *s, const struct call *c);

/* A variable of the environment that the program set, or NULL. */
struct value *bawn_world_variable(struct script *s, const char *name);
/* What stands in the table of modules in place of that one, or NULL. */
struct value *bawn_world_module(struct script *s, const char *name);
/* A command line as the shell reads it: with the variables that it is given. */
struct bawn_span bawn_world_line(struct script *s, struct bawn_span line);
/* A path as seen from where the program went. */
struct bawn_span bawn_world_path(struct script *s, struct bawn_span path);
/* A path as seen from a directory that was opened, where the call has one (dir_fd=). */
struct bawn_span bawn_world_from(struct script *s, const struct call *c, struct bawn_span path);
