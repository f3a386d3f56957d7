# tenon export --vtk: ParaView itself reads what it writes. Skipped where pvpython is not installed (Debian: paraview).
. "$(dirname "$0")/lib.sh"
command -v pvpython >/dev/null || exit 77

expect 0 'recording' run "$tests/mat_and_box.yaml" --out mat.h5
expect 0 'ParaView' export mat.h5 --vtk vtk
cat >bounds.py <<'END'
import sys
from paraview.simple import OpenDataFile, UpdatePipeline

for path in sys.argv[1:]:
    reader = OpenDataFile(path)
    UpdatePipeline(proxy=reader)
    times = list(reader.TimestepValues)
    UpdatePipeline(time=times[-1], proxy=reader)
    data = reader.GetDataInformation()
    bounds = data.GetBounds()
    print(path, len(times), "frames,", data.GetNumberOfPoints(), "points,", data.GetNumberOfCells(), "cells,",
          "bounds", *["%.3f" % x for x in bounds])
    assert len(times) == 21 and data.GetNumberOfPoints() > 0
    if "_soft" in path:  # the mat of 0.1 x 0.1 x 0.02 m lies on the floor
        assert data.GetNumberOfPoints() == 50 and data.GetNumberOfCells() == 96
        assert abs(bounds[0] + 0.05) < 1e-3 and abs(bounds[4]) < 1e-3 and abs(bounds[5] - 0.02) < 1e-3
END
pvpython bounds.py vtk/mat.pvd vtk/mat_contacts.pvd vtk/mat_soft.pvd
report $? "pvpython reads surfaces, contacts and volumes"
finish
