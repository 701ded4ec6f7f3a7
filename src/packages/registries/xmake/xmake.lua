package("simdbloom")
    set_homepage("https://github.com/OWNER/simdbloom")
    set_description("Blocked Bloom, cuckoo and counting filters with SIMD kernels chosen at run time")
    set_license("MIT")

    add_urls("https://github.com/OWNER/simdbloom/archive/refs/tags/$(version).tar.gz",
             "https://github.com/OWNER/simdbloom.git")
    add_versions("v0.2.0", "0000000000000000000000000000000000000000000000000000000000000000")

    add_configs("extensions", {description = "Build all extensions.", default = true, type = "boolean"})
    add_deps("cmake", "xsimd")

    on_load(function (package)
        if package:is_arch("x86_64", "x64") then
            package:add("deps", "cpu-features")
        end
        if package:config("shared") then
            package:add("defines", "SIMDBLOOM_SHARED")
        elseif package:config("extensions") then
            -- A library stands before those that it needs.
            package:add("links", "simdbloom_c", "simdbloom_join", "simdbloom_advice", "simdbloom_threads",
                "simdbloom_foreign", "simdbloom_leveldb_filter", "simdbloom_parquet", "simdbloom_any",
                "simdbloom_textbook", "simdbloom_fixed", "simdbloom_growing", "simdbloom_bank")
        end
        package:add("links", "simdbloom")
    end)

    on_install("linux", "macosx", "mingw", function (package)
        import("package.tools.cmake").install(package, {
            "-DCMAKE_BUILD_TYPE=" .. (package:is_debug() and "Debug" or "Release"),
            "-DBUILD_SHARED_LIBS=" .. (package:config("shared") and "ON" or "OFF"),
            "-DSIMDBLOOM_EXTENSIONS=" .. (package:config("extensions") and "all" or "none"),
            "-DSIMDBLOOM_ADAPTERS=",
            "-DSIMDBLOOM_BUILD_TESTS=OFF",
            "-DSIMDBLOOM_BUILD_TOOLS=OFF"})
    end)

    on_test(function (package)
        assert(package:check_cxxsnippets({test = [[
            #include <simdbloom/split_block.hpp>
            void test() {
                auto filter = simdbloom::SplitBlockBloom::for_fpr(1000, 0.01);
                filter.insert(std::uint64_t{3});
            }
        ]]}, {configs = {languages = "c++20"}}))
    end)
