#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "core/store/run_reader.h"
#include "core/store/run_writer.h"

namespace kurve::store {

/// Equal doubles, NaN included.
inline bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

inline std::unique_ptr<RunWriter> writerOf(const std::filesystem::path& folder) {
    auto writer = RunWriter::open(folder);
    EXPECT_TRUE(writer) << writer.error().text();
    return std::move(*writer);
}
inline std::unique_ptr<RunReader> readerOf(const std::filesystem::path& folder) {
    auto reader = RunReader::open(folder);
    EXPECT_TRUE(reader) << reader.error().text();
    return std::move(*reader);
}
inline Series allOf(const std::filesystem::path& folder, const std::string& metric) {
    SeriesCursor cursor;
    Series series;
    readerOf(folder)->points(metric, cursor, series);
    return series;
}
inline double valueAt(std::int64_t i) {
    if (i % 97 == 3) return NAN;
    if (i % 101 == 5) return INFINITY;
    if (i % 103 == 7) return -INFINITY;
    return std::sin(static_cast<double>(i)) *
           std::pow(10.0, static_cast<double>(i % 600) - 310);  // denormals too
}
inline double wallAt(std::int64_t i) {
    return 1.8e9 + static_cast<double>(i) * 0.25;
}

/// What the plain sqlite3 program answers.
inline std::string shell(const std::filesystem::path& folder, const std::string& sql) {
    const std::string command =
        "sqlite3 -readonly '" + (folder / "run.db").string() + "' \"" + sql + "\" 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string out;
    char buffer[4096];
    while (const auto n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
    ::pclose(pipe);
    return out;
}

}  // namespace kurve::store
