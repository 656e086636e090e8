/* record.c - the table of record types, and what every sink has in common. */
#include "audit/audit.h"
#include "base/cleanup.h"

static const struct { const char *name, *severity; } row[] = {
#define BAWN_X_ROW(n, t, s) [BAWN_RECORD_##n] = { t, s },
	BAWN_RECORDS(BAWN_X_ROW)
};
_Static_assert(BAWN_LEN(row) == BAWN_RECORD_COUNT, "one row per record type");

const char *bawn_record_name(enum bawn_record_type type)
{
	return (unsigned)type < BAWN_RECORD_COUNT ? row[type].name : "";
}
const char *bawn_record_severity(enum bawn_record_type type)
{
	return (unsigned)type < BAWN_RECORD_COUNT ? row[type].severity : "";
}

bool bawn_record_ends(const char *type)
{
	static const enum bawn_record_type end[] = { BAWN_RECORD_EXEC_OUTCOME, BAWN_RECORD_EXEC_REFUSED, BAWN_RECORD_EXEC_LOST, BAWN_RECORD_APPROVAL_REQUESTED };
	for (size_t i = 0; i < BAWN_LEN(end); i++)
		if (strcmp(type, row[end[i]].name) == 0)
			return true;
	return false;
}

int bawn_audit_put(struct bawn_audit *a, const struct bawn_record *rec, struct bawn_receipt *out,
                   struct bawn_err *err)
{
	uint64_t ticket;
	struct bawn_receipt receipt = { 0 };
	int r = a->ops->append(a, rec, &ticket, err);
	if (r == 0)
		r = a->ops->wait(a, ticket, &receipt, err);
	if (out != NULL && receipt.log_size > 0)
		*out = receipt;
	return r;
}
