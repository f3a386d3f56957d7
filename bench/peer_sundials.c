// SUNDIALS: CVODE and ARKODE on any differential equation.
#include "peer_sundials.h"

#include "peers.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { CHECK = 64 }; // evaluations between looks at the clock

typedef struct passage {
    const ode_task *task;
    double start;
    long n;
} passage;

static int evaluate(sunrealtype t, N_Vector y, N_Vector dy, void *user)
{
    passage *p = user;
    p->task->rates(p->task->user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    return ++p->n % CHECK == 0 && peer_seconds() - p->start > p->task->budget ? -1 : 0;
}

static void silent(int code, const char *module, const char *function, char *message, void *user)
{
}

static bool by_cvode(SUNContext context, bool first_order, passage *p, N_Vector y, long *steps)
{
    sunrealtype t = 0.0;
    void *memory = CVodeCreate(CV_BDF, context);
    SUNMatrix A = SUNDenseMatrix(p->task->n, p->task->n, context);
    SUNLinearSolver solver = A ? SUNLinSol_Dense(y, A, context) : NULL;
    bool ok = memory && solver && CVodeInit(memory, evaluate, 0.0, y) == CV_SUCCESS;
    ok = ok && CVodeSetErrHandlerFn(memory, silent, NULL) == CV_SUCCESS && CVodeSetUserData(memory, p) == CV_SUCCESS &&
         CVodeSStolerances(memory, p->task->relative, p->task->absolute) == CV_SUCCESS &&
         CVodeSetMaxNumSteps(memory, -1) == CV_SUCCESS && CVodeSetStopTime(memory, p->task->end) == CV_SUCCESS &&
         CVodeSetLinearSolver(memory, solver, A) == CV_SUCCESS &&
         (!first_order || CVodeSetMaxOrd(memory, 1) == CV_SUCCESS);
    ok = ok && CVode(memory, p->task->end, y, &t, CV_NORMAL) >= 0 && CVodeGetNumSteps(memory, steps) == CV_SUCCESS;
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(A);
    return ok;
}

static bool by_arkode(SUNContext context, passage *p, N_Vector y, long *steps)
{
    sunrealtype t = 0.0;
    void *memory = ERKStepCreate(evaluate, 0.0, y, context);
    bool ok = memory && ERKStepSetErrHandlerFn(memory, silent, NULL) == ARK_SUCCESS &&
              ERKStepSetUserData(memory, p) == ARK_SUCCESS &&
              ERKStepSStolerances(memory, p->task->relative, p->task->absolute) == ARK_SUCCESS &&
              ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5) == ARK_SUCCESS &&
              ERKStepSetMaxNumSteps(memory, -1) == ARK_SUCCESS &&
              ERKStepSetStopTime(memory, p->task->end) == ARK_SUCCESS;
    ok = ok && ERKStepEvolve(memory, p->task->end, y, &t, ARK_NORMAL) >= 0 &&
         ERKStepGetNumSteps(memory, steps) == ARK_SUCCESS;
    ERKStepFree(&memory);
    return ok;
}

ode_result ode_solve(ode_method method, const ode_task *task, double *y)
{
    SUNContext context = NULL;
    ode_result out = {0};
    passage p = {.task = task, .start = peer_seconds()};
    if (SUNContext_Create(NULL, &context) != 0) {
        return out;
    }
    N_Vector vector = N_VMake_Serial(task->n, y, context);
    out.ok = vector && (method == ODE_RK45 ? by_arkode(context, &p, vector, &out.steps)
                                           : by_cvode(context, method == ODE_BDF1, &p, vector, &out.steps));
    out.seconds = peer_seconds() - p.start;
    N_VDestroy(vector);
    SUNContext_Free(&context);
    return out;
}
