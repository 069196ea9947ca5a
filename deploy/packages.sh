# ./dev package: what each package is made of and how. Sourced by dev.

package_names=(deb wheel tarball container gpu-bundle)

package() {
  local check=
  [ "${1:-}" != --check ] || { check=yes; shift; }
  local name=${1:-}
  if [[ " ${package_names[*]} " != *" $name "* ]]; then
    say "Give the name of a package: ${package_names[*]}"
    exit 2
  fi
  mkdir -p build/packages
  # The check builds the images itself, on a bare system.
  if [ "$name$check" = containeryes ]; then package_deb; else "package_$name"; fi
  if [ -n "$check" ]; then
    install_packages "${check_packages[@]}" $([ "$name" = container ] && printf '%s\n' "${container_packages[@]}")
    "tests/packages/$name" build/packages
  fi
}

# A step whose output is of interest only if it fails: LOG COMMAND ...
quietly() {
  local log=build/packages/$1.log
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "The whole log is in $log"
    exit 4
  fi
}

# build/release, whose tests stay as they were: built or not.
build_for_package() {
  setup_build
  local tests=OFF
  ! grep -qs '^EBB_TESTS:BOOL=ON' build/release/CMakeCache.txt || { tests=ON; setup_tests; }
  quiet_build release -DEBB_TESTS="$tests"
}

package_deb() {
  install_packages "${deb_packages[@]}"
  build_for_package
  rm -f build/packages/*.deb
  quietly deb cpack --config build/release/CPackConfig.cmake -G DEB -B build/packages
  rm -rf build/packages/_CPack_Packages
  ls build/packages/*.deb
}

# The environment build/zig, with what comes from the Python package index: the compiler for old systems
# (cmake/zig.cmake), and what makes and checks wheels.
packaging_environment() {
  local where=build/zig list=deploy/packaging.txt
  cmp -s "$list" "$where/installed.txt" && return 0
  rm -rf "$where"
  quietly packaging /usr/bin/python3 -m venv --without-pip "$where"
  quietly packaging peer_pip --python "$where/bin/python" install --no-compile -r "$list"
  local zig language
  zig=$(echo "$PWD/$where"/lib/python3*/site-packages/ziglang/zig)
  for language in cc:zig-clang c++:zig-clang++; do
    printf '#!/bin/sh\nexec "%s" %s -target x86_64-linux-gnu.2.28 "$@"\n' "$zig" "${language%:*}" >"$where/bin/${language#*:}"
    chmod +x "$where/bin/${language#*:}"
  done
  cp "$list" "$where/installed.txt"
}

# Installs the programs that run wherever there is glibc 2.28 (cmake/EbbPortable.cmake) in the folder.
install_portable() {
  install_packages "${build_packages[@]}" "${wheel_packages[@]}"
  packaging_environment
  targets=(--target ebb ebb_shared)
  quiet_build portable
  local component
  rm -rf "$1"
  for component in ebb development python; do
    quietly install cmake --install build/portable --strip --prefix "$PWD/$1" --component "$component"
  done
}

package_version() { sed -nE 's/^project\(ebb VERSION ([0-9.]+).*/\1/p' CMakeLists.txt; }

package_tarball() {
  local name
  name=ebb-$(package_version)-linux-x86_64
  install_portable "build/packages/$name"
  tar -C build/packages --owner=0 --group=0 -czf "build/packages/$name.tar.gz" "$name"
  rm -rf "build/packages/$name"
  ls "build/packages/$name.tar.gz"
}

# auditwheel names the wheel by the symbols of glibc that its programs need, and refuses one that needs more.
package_wheel() {
  install_portable build/packages/portable
  rm -f build/packages/*.whl
  quietly wheel build/zig/bin/python deploy/make_wheel.py build/packages/portable build/packages/wheel
  PATH=$PWD/build/zig/bin:$PATH quietly wheel build/zig/bin/python -m auditwheel repair --plat auto \
    --wheel-dir build/packages build/packages/wheel/*.whl
  rm -rf build/packages/portable build/packages/wheel
  ls build/packages/*.whl
}

# Makes a container of the Debian packages, on the image of the distribution that they were made on, or EBB_BASE_IMAGE. The manifests and
# the chart name the same image: deploy/kubernetes, deploy/helm.
package_container() {
  package_deb
  local tool
  tool=$(command -v podman || command -v buildah || command -v docker) ||
    { install_packages "${container_packages[@]}"; tool=buildah; }
  local base=${EBB_BASE_IMAGE:-}
  [ -n "$base" ] || base=docker.io/library/$(. /etc/os-release && echo "$ID:$VERSION_ID")
  local name image
  for name in service trainer; do
    image=ebb-$name:$(package_version)
    quietly "container-$name" "$tool" build --network host --build-arg BASE="$base" \
      --file "deploy/$name.Containerfile" --tag "$image" build/packages
    echo "$image"
  done
}

# Programs for a machine with a GPU that cannot build them. ebb-train is the one that ./dev build --torch has left: only that
# command knows of which Python.
package_gpu-bundle() {
  install_packages "${bundle_packages[@]}"
  targets=(--target ebb)
  build_for_package
  if [ ! -x build/torch/bin/ebb-train ]; then
    say "build/torch/bin/ebb-train is not there. Build it for the minor version of torch that the machine has:"
    say "  ./dev build --torch PYTHON   (docs/install.md)"
    exit 3
  fi
  rm -f build/packages/ebb-*-torch*.tar.gz
  python3 deploy/make_gpu_bundle.py build/release/bin build/torch/bin/ebb-train build/packages
}
