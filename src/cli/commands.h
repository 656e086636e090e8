/* commands.h - one row per command, each defined in its cmd_<name>.c. */
#pragma once
#include "cli/cli.h"

extern const struct bawn_cli_command
	bawn_cmd_run, bawn_cmd_assess, bawn_cmd_rules_list, bawn_cmd_rules_show, bawn_cmd_rules_test,
	bawn_cmd_history, bawn_cmd_show, bawn_cmd_pending, bawn_cmd_approve, bawn_cmd_deny,
	bawn_cmd_policy_show, bawn_cmd_policy_check, bawn_cmd_policy_set,
	bawn_cmd_audit_verify, bawn_cmd_audit_list, bawn_cmd_audit_show, bawn_cmd_audit_tail, bawn_cmd_audit_export, bawn_cmd_audit_report, bawn_cmd_audit_proof, bawn_cmd_audit_rotate, bawn_cmd_audit_prune,
	bawn_cmd_env_list, bawn_cmd_env_build, bawn_cmd_env_show, bawn_cmd_env_rm,
	bawn_cmd_image_pull, bawn_cmd_mcp, bawn_cmd_status, bawn_cmd_doctor, bawn_cmd_version;
