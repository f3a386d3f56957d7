// The mixed-integer program of a planning problem for Bonmin: states stay variables, one binary a pair, all rows
// linear.
//
// Step k has (x_{k+1}, u_k, c_k, z_k); its rows are the dynamics, w >= 0, w + w_high z <= w_high and c - c_high z <= 0.
#include "peer_bonmin.h"

#include <BonBonminSetup.hpp>
#include <BonCbc.hpp>

#include <cmath>
#include <vector>

namespace
{

using Ipopt::Index;
using Ipopt::Number;

struct entry {
    Index row, column;
    double value;
};

class program : public Bonmin::TMINLP
{
  public:
    program(const tn_plan_problem *problem, const double *c_most, const double *w_most)
        : p(*problem), s(problem->lcs), c_high(c_most), w_high(w_most), width(s.n_x + s.n_u + 2 * s.n_c),
          height(s.n_x + 3 * s.n_c)
    {
        for (int k = 0; k < p.horizon; k++) {
            add_step(k);
        }
    }

    double cost = INFINITY;

    bool get_variables_types(Index n, VariableType *types) override
    {
        for (Index i = 0; i < n; i++) {
            types[i] = i % width >= width - s.n_c ? BINARY : CONTINUOUS;
        }
        return true;
    }
    bool get_variables_linearity(Index n, Ipopt::TNLP::LinearityType *types) override
    {
        for (Index i = 0; i < n; i++) {
            types[i] = i % width < s.n_x + s.n_u ? Ipopt::TNLP::NON_LINEAR : Ipopt::TNLP::LINEAR;
        }
        return true;
    }
    bool get_constraints_linearity(Index m, Ipopt::TNLP::LinearityType *types) override
    {
        std::fill(types, types + m, Ipopt::TNLP::LINEAR);
        return true;
    }
    bool get_nlp_info(Index &n, Index &m, Index &n_jacobian, Index &n_hessian,
                      Ipopt::TNLP::IndexStyleEnum &style) override
    {
        n = p.horizon * width;
        m = p.horizon * height;
        n_jacobian = static_cast<Index>(jacobian.size());
        n_hessian = static_cast<Index>(hessian.size());
        style = Ipopt::TNLP::C_STYLE;
        return true;
    }
    bool get_bounds_info(Index n, Number *low, Number *high, Index m, Number *g_low, Number *g_high) override
    {
        for (Index i = 0; i < n; i++) {
            const int k = i / width, j = i % width, u = j - s.n_x, c = u - s.n_u;
            low[i] = u < 0 ? p.X.low[j] : c < 0 ? p.U.low[u] : 0.0;
            high[i] = u < 0 ? p.X.high[j] : c < 0 ? p.U.high[u] : c < s.n_c ? c_high[k * s.n_c + c] : 1.0;
        }
        std::copy(row_low.begin(), row_low.begin() + m, g_low);
        std::copy(row_high.begin(), row_high.begin() + m, g_high);
        return true;
    }
    bool get_starting_point(Index n, bool, Number *x, bool, Number *, Number *, Index, bool, Number *) override
    {
        std::fill(x, x + n, 0.0);
        return true;
    }
    bool eval_f(Index n, const Number *x, bool, Number &value) override
    {
        std::vector<double> g(static_cast<size_t>(n));
        eval_grad_f(n, x, true, g.data());
        value = constant;
        for (Index i = 0; i < n; i++) {
            value += 0.5 * x[i] * (g[static_cast<size_t>(i)] + linear(i));
        }
        return true;
    }
    bool eval_grad_f(Index n, const Number *x, bool, Number *g) override
    {
        for (Index i = 0; i < n; i++) {
            g[i] = linear(i);
        }
        for (const entry &h : hessian) {
            g[h.row] += h.value * x[h.column];
            if (h.row != h.column) {
                g[h.column] += h.value * x[h.row];
            }
        }
        return true;
    }
    bool eval_g(Index, const Number *x, bool, Index m, Number *g) override
    {
        std::fill(g, g + m, 0.0);
        for (const entry &e : jacobian) {
            g[e.row] += e.value * x[e.column];
        }
        return true;
    }
    bool eval_jac_g(Index, const Number *, bool, Index, Index, Index *rows, Index *columns, Number *values) override
    {
        put(jacobian, rows, columns, values, 1.0);
        return true;
    }
    bool eval_h(Index, const Number *, bool, Number factor, Index, const Number *, bool, Index, Index *rows,
                Index *columns, Number *values) override
    {
        put(hessian, rows, columns, values, factor);
        return true;
    }
    void finalize_solution(SolverReturn status, Index, const Number *, Number value) override
    {
        cost = status == SUCCESS ? value : INFINITY;
    }
    const SosInfo *sosConstraints() const override
    {
        return nullptr;
    }
    const BranchingInfo *branchingInfo() const override
    {
        return nullptr;
    }

  private:
    const tn_plan_problem &p;
    const tn_lcs &s;
    const double *c_high, *w_high;
    const int width, height;
    std::vector<entry> jacobian, hessian; // the latter's lower half
    std::vector<double> row_low, row_high, gradient;
    double constant = 0.0;

    double linear(Index i) const
    {
        return gradient[static_cast<size_t>(i)];
    }
    static void put(const std::vector<entry> &from, Index *rows, Index *columns, Number *values, double factor)
    {
        for (size_t i = 0; i < from.size(); i++) {
            if (values) {
                values[i] = factor * from[i].value;
            } else {
                rows[i] = from[i].row;
                columns[i] = from[i].column;
            }
        }
    }
    // |y - ref|^2_Q of variables from `at` on.
    void add_cost(int at, int n, const double *Q, const double *ref)
    {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                gradient[static_cast<size_t>(at + i)] -= 2.0 * Q[i * n + j] * ref[j];
                constant += ref[i] * Q[i * n + j] * ref[j];
                if (j <= i && Q[i * n + j] != 0.0) {
                    hessian.push_back({at + i, at + j, 2.0 * Q[i * n + j]});
                }
            }
        }
    }
    void add_row(double low, double high)
    {
        row_low.push_back(low);
        row_high.push_back(high);
    }
    // Entries of the row added last; of the state before the first step a number: what the row then has more.
    double add(int at, int n, double sign, const double *a)
    {
        double known = 0.0;
        for (int j = 0; j < n; j++) {
            if (at < 0) {
                known += sign * a[j] * p.x0[j];
            } else if (a[j] != 0.0) {
                jacobian.push_back({static_cast<Index>(row_low.size()) - 1, at + j, sign * a[j]});
            }
        }
        return known;
    }
    void shift(double by)
    {
        row_low.back() -= by;
        row_high.back() -= by;
    }
    void add_slack(int k, int i, double high)
    {
        const int x = k * width, before = k > 0 ? x - width : -1, u = x + s.n_x, c = u + s.n_u;
        add_row(high < INFINITY ? -INFINITY : 0.0, high);
        shift(s.offset[i] + add(before, s.n_x, 1.0, s.D0 + i * s.n_x));
        add(x, s.n_x, 1.0, s.D + i * s.n_x);
        add(u, s.n_u, 1.0, s.H + i * s.n_u);
        add(c, s.n_c, 1.0, s.E + i * s.n_c);
    }
    void add_step(int k)
    {
        const int x = k * width, before = k > 0 ? x - width : -1, u = x + s.n_x, c = u + s.n_u, z = c + s.n_c;
        const double one = 1.0;
        gradient.resize(static_cast<size_t>((k + 1) * width), 0.0);
        add_cost(x, s.n_x, k + 1 < p.horizon ? p.Q : p.Qf, p.x_ref + (k + 1) * s.n_x);
        add_cost(u, s.n_u, p.R, p.u_ref + k * s.n_u);
        for (int j = 0; k == 0 && j < s.n_x * s.n_x; j++) { // the start's own
            const int a = j / s.n_x, b = j % s.n_x;
            constant += (p.x0[a] - p.x_ref[a]) * p.Q[j] * (p.x0[b] - p.x_ref[b]);
        }
        for (int j = 0; j < s.n_x; j++) {
            add_row(s.F[j], s.F[j]);
            add(x + j, 1, 1.0, &one);
            shift(add(before, s.n_x, -1.0, s.A + j * s.n_x));
            add(u, s.n_u, -1.0, s.B + j * s.n_u);
            add(c, s.n_c, -1.0, s.C + j * s.n_c);
        }
        for (int i = 0; i < s.n_c; i++) {
            const double w = w_high[k * s.n_c + i], most = c_high[k * s.n_c + i];
            add_slack(k, i, INFINITY);
            add_slack(k, i, w);
            add(z + i, 1, w, &one);
            add_row(-INFINITY, 0.0);
            add(c + i, 1, 1.0, &one);
            add(z + i, 1, -most, &one);
        }
    }
};

} // namespace

bool peer_bonmin(const tn_plan_problem *problem, const double *c_high, const double *w_high, double *cost, long *nodes)
{
    Ipopt::SmartPtr<program> is = new program(problem, c_high, w_high);
    Bonmin::BonminSetup setup;
    setup.initializeOptionsAndJournalist();
    setup.options()->SetStringValue("bonmin.algorithm", "B-BB");
    setup.options()->SetNumericValue("bonmin.allowable_fraction_gap", 1e-9);
    setup.options()->SetNumericValue("bonmin.allowable_gap", 1e-9);
    setup.options()->SetIntegerValue("bonmin.bb_log_level", 0);
    setup.options()->SetIntegerValue("bonmin.nlp_log_level", 0);
    setup.options()->SetIntegerValue("print_level", 0);
    setup.options()->SetStringValue("sb", "yes");
    try {
        setup.initialize(GetRawPtr(is));
        Bonmin::Bab search;
        search(setup);
        *nodes = search.numNodes();
    } catch (...) {
        return false;
    }
    *cost = is->cost;
    return is->cost < INFINITY;
}
