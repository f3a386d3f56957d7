# Thin: each target is one idea; CMake does the work (see CMakePresets.json).
DEMO ?= scenes/rigid/box_heap.yaml

.PHONY: all release demo test sanitize bench coverage format lint docs pictures install clean

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
	@echo "  out/demo.html              it moves: open file://$(CURDIR)/out/demo.html in a browser,"
	@echo "                             or run build/release/tenon view out/demo.h5"
	@echo "  out/demo_report.html       figures, plots, where the time went: open it too"
	@echo "  out/demo_energy.svg        energy over time"
	@echo "  out/demo_certificate.svg   how exactly every step was solved"
	@echo "  out/demo_vtk/*.pvd         the moving bodies, for ParaView"

test:
	@tools/install-deps test
	cmake --preset check $(if $(CI),-DTENON_WERROR=ON)
	cmake --build --preset check
	ctest --test-dir build/check --output-on-failure -j $$(nproc)

sanitize:
	@tools/install-deps test
	cmake --preset dev
	cmake --build --preset dev
	ctest --test-dir build/dev --output-on-failure -j $$(nproc)

bench:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory release
	build/release/tenon bench rigid --quick
	build/release/tenon bench soft --quick
	build/release/tenon bench papers --only cond --trials 3

coverage:
	@tools/install-deps dev
	cmake --preset coverage
	cmake --build --preset coverage
	cd build/coverage && find . -name '*.gcda' -delete
	ctest --test-dir build/coverage --output-on-failure -j $$(nproc)
	lcov --quiet --capture --directory build/coverage --output-file build/coverage/all.info
	lcov --quiet --extract build/coverage/all.info '$(CURDIR)/src/*' --output-file build/coverage/src.info
	genhtml --quiet build/coverage/src.info --output-directory build/coverage/html
	lcov --summary build/coverage/src.info
	@echo "report: build/coverage/html/index.html"

format:
	@tools/install-deps dev
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

# One file a clang-tidy: with several, version 14 takes every va_list after the first file's for uninitialized.
lint:
	@tools/install-deps dev
	clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h' '*.cpp')
	cmake --preset check
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability --suppressions-list=tools/cppcheck.txt -I include -I src src
	git ls-files -z 'src/*.c' | xargs -0 -n 1 -P $$(nproc) clang-tidy --quiet -p build/check

docs: release
	@tools/install-deps dev
	build/release/tenon info --scene-reference > docs/scene.md
	mkdir -p build/docs
	build/release/tenon info --schema > build/docs/scene.schema.json
	doxygen docs/Doxyfile
	mkdir -p build/docs/html/docs
	cp -R docs/replays docs/pictures build/docs/html/
	cp -R docs/pictures build/docs/html/docs/
	sed -i 's,<a href="\(replays/[a-z_]*\.html\)"><img [^>]*alt="\([^"]*\)"[^>]*></a>,<iframe src="\1" title="\2" width="100%" height="560"></iframe>,' build/docs/html/md_docs_replays.html
	@echo "API pages: build/docs/html/index.html; scene reference: docs/scene.md; JSON Schema for editors: build/docs/scene.schema.json"

# The pictures of README.md and docs/, from the simulations that they show.
pictures: release
	tools/make-pictures

install: release
	cmake --install build/release

clean:
	rm -rf build out
