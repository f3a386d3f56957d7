// Tenon: multibody dynamics with hard frictional contact. This header brings the whole public API.
#pragma once

#include "tenon/batch.h"
#include "tenon/error.h"
#include "tenon/problem.h"
#include "tenon/query.h"
#include "tenon/record.h"
#include "tenon/scene.h"
#include "tenon/set.h"
#include "tenon/sim.h"
#include "tenon/version.h"
