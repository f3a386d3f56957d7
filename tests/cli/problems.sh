# `tenon solve`: a problem with a known answer, the same problem broken in one place after another, stored problems.
. "$(dirname "$0")/lib.sh"
need_python

# Three uncoupled contacts, W = I, q = (-1, 1, 3), mu = 0.1. Strict law by hand: r_n = 1, r_t = -mu (1, 3) / sqrt(10);
# convex law: the projection of -q on the cone, r_n = (1 + 0.1 sqrt(10)) / 1.01.
cat >make.py <<'PY'
import sys, h5py, numpy as np
def make(path, change):
    f = h5py.File(path, "w")
    W = f.create_group("fclib_local/W")
    n = np.arange(9, dtype="i4")
    for key, value in [("m", 9), ("n", 9), ("nz", 9), ("nzmax", 9)]:
        W[key] = np.array([value], "i4")
    W["i"], W["p"], W["x"] = n, n, np.ones(9)
    v = f.create_group("fclib_local/vectors")
    v["q"], v["mu"] = np.array([-1.0, 1, 3] * 3), np.full(3, 0.1)
    f["fclib_local/spacedim"] = np.array([3], "i4")
    f.create_group("fclib_local/info")
    def put(name, value):
        del f["fclib_local/" + name]
        f["fclib_local/" + name] = value
    exec(change)
for path, change in zip(sys.argv[1::2], sys.argv[2::2]):
    make(path, change)
PY
"$python" make.py good.hdf5 ""
expect 0 'local form, 3 contacts' solve good.hdf5 --out solved.hdf5 --tolerance fclib=1e-10
"$python" - <<'PY'
import h5py, numpy as np
f = h5py.File("solved.hdf5")
r, u = f["solution/r"][:].reshape(3, 3), f["solution/u"][:].reshape(3, 3)
exact = np.array([1, -0.1 / 10 ** 0.5, -0.3 / 10 ** 0.5])
print("worst error of r:", abs(r - exact).max())
assert abs(r - exact).max() < 1e-9 and abs(u - r - [-1, 1, 3]).max() < 1e-9
PY
report $? "solution r, u as by hand"
expect 0 'law convex' solve good.hdf5 --law convex --tolerance natural=1e-10 --out convex.hdf5
"$python" - <<'PY'
import h5py
f = h5py.File("convex.hdf5")
r = f["solution/r"][0]
assert f["fclib_local/info/math_info"][()] == b"law convex facets 0" # the law it was solved by
assert abs(r - (1 + 0.1 * 10 ** 0.5) / 1.01) < 1e-9, r
PY
report $? "convex law: the projection on the cone"
# What is demanded by default is of the law that is solved; fclib is always of the strict one.
expect 0 'law convex' solve good.hdf5 --law convex
expect 0 'law frictionless' solve good.hdf5 --law frictionless
expect 0 'law coulomb' solve good.hdf5 --facets 8
expect 0 'law convex' solve convex.hdf5
expect 2 'facets are 7, expected 0' solve good.hdf5 --facets 7
expect 1 'tolerance was not reached' solve good.hdf5 --law convex --tolerance fclib=1e-8
expect 0 'outcome|fclib' solve solved.hdf5 --json # a file with a solution is a problem again
expect 2 'cond' solve good.hdf5 --solver cond # needs bodies
expect 2 'nowhere/a.hdf5' solve good.hdf5 --out nowhere/a.hdf5

# A body between two walls that close at 1 m/s: no forces stop both. Relative to endless forces all is well.
"$python" make.py walls.hdf5 "
put('W/p', np.array([0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8], 'i4')), put('W/i', np.array([0, 3, 1, 2, 0, 3, 4, 5, 6, 7, 8], 'i4'))
put('W/x', np.array([1.0, -1, 1, 1, -1, 1, 1, 1, 1, 1, 1])), put('vectors/q', np.array([-1.0, 0, 0] * 2 + [1, 0, 0]))
put('W/nz', np.array([11], 'i4')), put('W/nzmax', np.array([11], 'i4'))"
for solver in auto pgs few dense ipm; do
    expect 1 'without bounds|not reached' solve walls.hdf5 --solver $solver
    expect 1 'without bounds|not reached' solve walls.hdf5 --solver $solver --tolerance fclib=1e-3
done
# Friction so large that the figures hardly see what still approaches; such a problem has solutions.
"$python" make.py glue.hdf5 "
random, n = np.random.default_rng(21), np.arange(36)
G = random.normal(size=(6, 6))
for key, value in [('m', 6), ('n', 6), ('nz', 36), ('nzmax', 36)]: put('W/' + key, np.array([value], 'i4'))
put('W/i', (n // 6).astype('i4')), put('W/p', (n % 6).astype('i4')), put('W/x', (G @ G.T).ravel())
put('vectors/q', random.normal(size=6)), put('vectors/mu', np.full(2, 1e8))"
expect 1 'friction of 1e\+08 hides|not reached' solve glue.hdf5

changes=() patterns=()
broken() { # broken PYTHON PATTERN
    changes+=("broken${#patterns[@]}.hdf5" "$1") patterns+=("$2")
}
broken "del f['fclib_local/W']" 'fclib_local/W'
broken "del f['fclib_local/vectors/q']" 'fclib_local/vectors/q'
broken "del f['fclib_local/vectors/mu']" 'fclib_local/vectors/mu'
broken "del f['fclib_local']" 'fclib_local'
broken "put('vectors/q', np.zeros(8))" 'vectors/q: 8 elements, expected 9'
broken "put('vectors/mu', np.full(3, -0.1))" 'vectors/mu'
broken "put('vectors/mu', np.full(3, np.nan))" 'vectors/mu'
broken "put('vectors/q', np.full(9, np.inf))" 'vectors/q'
broken "put('W/x', np.full(9, np.nan))" 'W/x'
broken "put('W/i', np.full(9, 9, 'i4'))" 'W/i'
broken "put('W/p', np.full(9, -1, 'i4'))" 'W/p'
broken "put('W/nz', np.array([-7], 'i4'))" 'W/nz'
broken "put('W/nz', np.array([10], 'i4'))" 'W/'
broken "put('W/m', np.array([8], 'i4'))" 'W/m'
broken "put('W/n', np.array([2**30], 'i4'))" 'W/n'
broken "put('spacedim', np.array([4], 'i4'))" 'spacedim'
broken "put('vectors/q', 'text')" 'vectors/q'
"$python" make.py "${changes[@]}"
for i in "${!patterns[@]}"; do
    expect 2 "broken$i.hdf5: .*${patterns[i]}" solve broken$i.hdf5
done
head -c 1500 good.hdf5 >broken.hdf5
expect 2 'broken.hdf5' solve broken.hdf5

for name in FC3D_Example1 Confeti-ex03-Fc3D-SBM GFC3D_Example00; do
    expect 0 'fclib' solve "$problems/$name.hdf5" --tolerance fclib=1e-6 --out stored.hdf5
    expect 0 'fclib' solve stored.hdf5 --tolerance fclib=1e-6
done
expect 1 'a demanded tolerance was not reached' solve "$problems/Confeti-ex03-Fc3D-SBM.hdf5" --solver apgd \
    --max-iterations 2
finish
