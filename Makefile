# Thin: each target is one idea; CMake does the work (see CMakePresets.json).
DEMO ?= scenes/robots/arm_pushes.yaml

# Twice as many tests as processors: those of the command wait for servers, signals and files most of the time.
CTEST = ctest --output-on-failure --no-tests=error -j $$((2 * $$(nproc)))

.PHONY: all release python demo test check sanitize bench bench-compare bench-gallery coverage format lint lint-paths docs gallery pictures deb install uninstall clean

all: release

release:
	@tools/install-deps runtime
	cmake --preset release -DBUILD_TESTING=OFF
	cmake --build --preset release

demo: release
	@mkdir -p out
	build/release/tenon run $(DEMO) --out out/demo.h5
	build/release/tenon report out/demo.h5 -o out/demo_report.html
	build/release/tenon plot out/demo.h5 energy -o out/demo_energy.svg
	build/release/tenon plot out/demo.h5 certificate -o out/demo_certificate.svg
	build/release/tenon export out/demo.h5 --html out/demo.html
	build/release/tenon export out/demo.h5 --vtk out/demo_vtk --every 10
	@echo
	@echo "The trajectory is out/demo.h5 (HDF5, see docs/recording.md); look at"
	@echo "  out/demo.html              the robot moves: open file://$(CURDIR)/out/demo.html in a browser,"
	@echo "                             or run build/release/tenon view out/demo.h5"
	@echo "  out/demo_report.html       figures, plots, where the time went: open it too"
	@echo "  out/demo_energy.svg        energy over time"
	@echo "  out/demo_certificate.svg   how exactly every step was solved"
	@echo "  out/demo_vtk/*.pvd         the moving bodies, for ParaView"
	@[ -z "$$DISPLAY$$WAYLAND_DISPLAY" ] || xdg-open out/demo.html || true

test:
	@tools/install-deps test
	cmake --preset check $(if $(CI),-DTENON_WERROR=ON)
	cmake --build --preset check
	$(CTEST) --test-dir build/check

# The loop while working on one room: build it and its tests, run these. make check ROOM=collide
check:
	@tools/install-deps test
	cmake --preset check $(if $(wildcard build/check/build.ninja),>/dev/null)
	cmake --build --preset check --target test_unit_$(or $(ROOM),$(error say which: make check ROOM=collide))
	$(CTEST) --test-dir build/check -R '^unit\.$(ROOM)\.'

sanitize:
	@tools/install-deps test
	cmake --preset dev
	cmake --build --preset dev
	$(CTEST) --test-dir build/dev

# A wheel of the Python package, with the library inside.
python: release
	@tools/install-deps python
	/usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir out ./python
	@echo "Install it, in an environment of your own or with --break-system-packages:"
	@echo "  python3 -m venv --system-site-packages env && env/bin/pip install --no-index out/tenon-*.whl"

bench:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory release
	build/release/tenon bench rigid --quick
	build/release/tenon bench soft --quick
	build/release/tenon bench papers --only cond --trials 3

# Stored tables (tenon bench ... --json FILE.json), new over old; several files: their medians.
#   make bench-compare OLD="old1.json old2.json" NEW=new.json
bench-compare:
	tools/bench-compare --old $(OLD) --new $(NEW)

# docs/times.md: every scene as it stands, time by stage and accuracy, beside other engines where they hold it. Ten
# minutes of a quiet machine.
bench-gallery:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory release
	build/release/tenon bench gallery --only speed --json build/times.json
	tools/gallery-times build/times.json

coverage:
	@tools/install-deps dev
	cmake --preset coverage
	cmake --build --preset coverage
	cd build/coverage && find . -name '*.gcda' -delete
	$(CTEST) --test-dir build/coverage
	lcov --quiet --capture --directory build/coverage --output-file build/coverage/all.info
	lcov --quiet --extract build/coverage/all.info '$(CURDIR)/src/*' --output-file build/coverage/src.info
	genhtml --quiet build/coverage/src.info --output-directory build/coverage/html
	lcov --summary build/coverage/src.info
	@echo "report: build/coverage/html/index.html"

format:
	@tools/install-deps dev
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

# Form, cppcheck, clang-tidy: two minutes of two cores. make lint-paths follows paths through the code as well (clang's
# analyzer; most of an hour). One file a clang-tidy: with several, version 14 takes every va_list after the first file's
# for uninitialized.
TIDY = --checks=-clang-analyzer-*
lint-paths: TIDY =
lint lint-paths:
	@tools/install-deps lint
	clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h' '*.cpp')
	cmake --preset check $(if $(CI),-DTENON_WERROR=ON) >/dev/null
	cppcheck -j $$(nproc) --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability --suppressions-list=tools/cppcheck.txt -I include -I src src
	git ls-files -z 'src/*.c' | xargs -0 -n 1 -P $$(nproc) clang-tidy --quiet $(TIDY) -p build/check

# The site of the documentation, and with it the reference of scenes.
docs: release
	@tools/install-deps docs
	build/release/tenon info --scene-reference > docs/scene.md
	tools/make-docs

# docs/gallery.md: every scene is run, drawn and measured, what changed since the last time.
gallery: release
	@tools/install-deps python viewer
	tools/make-gallery

# The pictures of README.md and docs/, from the simulations that they show; the gallery first.
pictures: release
	tools/make-pictures

# Debian packages in out/deb, of what is committed.
deb:
	tools/make-deb

# Everything under PREFIX, and out of it again; DESTDIR as usual.
PREFIX ?= /usr/local
BUILD ?= build/release
install: release
	cmake --install $(BUILD) --prefix "$(PREFIX)"

# What the last installation wrote, and the folders that are its own.
uninstall:
	sed 's,^,$(DESTDIR),' $(BUILD)/install_manifest.txt | xargs -d '\n' rm -fv
	sed -n 's,^\(.*/tenon\)/.*,$(DESTDIR)\1,p' $(BUILD)/install_manifest.txt | sort -u | xargs -d '\n' -I{} find {} -type d -empty -delete

clean:
	rm -rf build out
