// Tenon: multibody dynamics with hard frictional contact. This header brings the whole public API.
//
// Mistakes are refused, not paid for: with a NULL handle, a number that is not there or an array that is needed and
// missing a function that returns a status gives TN_BAD_INPUT, one that returns a count, a number or a pointer gives 0
// or NULL, and one that writes leaves what it would have written. A handle must not be used once it is destroyed.
#pragma once

#include "tenon/batch.h"
#include "tenon/check.h"
#include "tenon/derivative.h"
#include "tenon/dynamics.h"
#include "tenon/error.h"
#include "tenon/grab.h"
#include "tenon/lcs_source.h"
#include "tenon/mpc.h"
#include "tenon/plan.h"
#include "tenon/problem.h"
#include "tenon/query.h"
#include "tenon/record.h"
#include "tenon/report.h"
#include "tenon/scene.h"
#include "tenon/sensor.h"
#include "tenon/set.h"
#include "tenon/sim.h"
#include "tenon/stored.h"
#include "tenon/summary.h"
#include "tenon/version.h"
#include "tenon/view.h"
