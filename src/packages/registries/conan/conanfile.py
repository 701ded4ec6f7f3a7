import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get
from conan.tools.microsoft import is_msvc


class SimdbloomConan(ConanFile):
    name = "simdbloom"
    description = "Blocked Bloom, cuckoo and counting filters with SIMD kernels chosen at run time"
    license = "MIT"
    url = "https://github.com/OWNER/simdbloom"
    topics = ("bloom-filter", "cuckoo-filter", "simd", "join")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    # extensions: as SIMDBLOOM_EXTENSIONS: all, none, or names with ; between them.
    options = {"shared": [True, False], "fPIC": [True, False], "extensions": ["ANY"]}
    default_options = {"shared": False, "fPIC": True, "extensions": "all"}
    implements = ["auto_shared_fpic"]

    def requirements(self):
        self.requires("xsimd/[>=13]")
        if self.settings.arch == "x86_64":
            self.requires("cpu_features/[>=0.9]")

    def validate(self):
        check_min_cppstd(self, 20)
        if is_msvc(self):
            raise ConanInvalidConfiguration("simdbloom needs GCC or Clang")

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SIMDBLOOM_EXTENSIONS"] = str(self.options.extensions)
        toolchain.cache_variables["SIMDBLOOM_ADAPTERS"] = ""
        toolchain.cache_variables["SIMDBLOOM_BUILD_TESTS"] = False
        toolchain.cache_variables["SIMDBLOOM_BUILD_TOOLS"] = False
        xsimd = self.dependencies["xsimd"].cpp_info.aggregated_components()
        toolchain.cache_variables["XSIMD_INCLUDE_DIR"] = xsimd.includedirs[0]
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The installed simdbloomConfig.cmake knows which library needs which.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "simdbloom")]
