/* alerts.h - thresholds of audit.yaml, looked at when something that counts was put into the log.
 *
 * An alert is a record of type alert {kind, threshold, actual, message} and a sentence for whoever is there.
 * Each kind is told at most once an hour: STATE/alerts/KIND is touched when it is.  Losing that file costs
 * one alert too many; failing to raise one never fails what it is about. */
#pragma once
#include "audit/audit.h"
#include "core/handle.h"

struct bawn_exec;
/* After a commit: looks at violations and CRITICAL events where it held some, whoever's they are (what the log says
 * itself, log.disk_full, too).  What is told is a warning of the result. */
void bawn_alerts_noted(struct bawn_exec *e);
/* After an outcome: how full the disk of the log is. */
void bawn_alerts_disk(struct bawn_exec *e);
