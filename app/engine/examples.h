#pragma once

#include <CLI/App.hpp>

namespace kurve::engine {

/// Ends the help of a program, of its commands and of theirs with two examples each (examples.cpp).
void addExamples(CLI::App& app);

}  // namespace kurve::engine
