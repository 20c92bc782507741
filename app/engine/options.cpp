#include "app/engine/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include "app/engine/platform.h"
#include "core/config/field_spec.h"

namespace kurve::engine {
namespace {

/// More wait for each other: on two cores a step took 7 times as long with 64 threads as with one, with 1,024
/// a minute. A run of a larger machine is reproduced with its number, however slowly.
constexpr int kMostPerCore = 4, kMostAnywhere = 64;

int mostThreads() {
    return std::max(kMostAnywhere, kMostPerCore * hardwareThreads());
}

std::string checkThreads(const std::string& text) {
    int threads = 0;
    if (!CLI::detail::lexical_cast(text, threads) || threads < 0)
        return fmt::format("{} is not a number of threads; use 1 to {}, or 0: chosen by Kurve", text,
                           mostThreads());
    if (threads <= mostThreads()) return {};
    return fmt::format(
        "{} threads would wait for each other on {} cores; use at most {}, best no more than {}", text,
        hardwareThreads(), mostThreads(), hardwareThreads());
}

// "--set key=value": the first '=' ends the key. Type, range and spelling are checked by the config later.
bool addOverride(CommonOptions& common, const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw CLI::ValidationError("--set", "takes key.path=value, got \"" + text + "\"");
    common.sets.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    return true;
}

std::string checkFinite(const std::string& text) {
    double value = 0;
    const bool isNumber = CLI::detail::lexical_cast(text, value);
    return isNumber && !std::isfinite(value) ? text + " is not a finite number" : std::string();
}

/// A seed is a setting too, and those are signed.
std::string checkSeed(const std::string& text) {
    return parseFieldValue(integerField("seed", 1, "").atLeast(0), text)
               ? std::string()
               : fmt::format("{} is not a seed; use a whole number from 0 to {}", text,
                             std::numeric_limits<std::int64_t>::max());
}

std::string checkNotEmpty(const std::string& text) {
    return text.find_first_not_of(", \t") == std::string::npos ? "the value is empty" : "";
}

/// Texts that are given as they are, the empty one too.
bool mayBeEmpty(const CLI::Option& option) {
    static const std::set<std::string> kTexts{"--input", "--reference", "--title", "--filter"};
    return kTexts.contains(option.get_name());
}

}  // namespace

void refuseNonsense(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        if (option->get_items_expected_max() == 0) continue;  // a flag
        if (option->get_type_name().starts_with("FLOAT")) option->check(CLI::Validator(checkFinite, ""));
        if (!mayBeEmpty(*option)) option->check(CLI::Validator(checkNotEmpty, ""));
    }
    for (CLI::App* sub : app.get_subcommands({})) refuseNonsense(*sub);
}

void showDefaults(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        const bool isFlag = option->get_items_expected_max() == 0;
        const bool isNamed = option->get_description().find("(default") != std::string::npos;
        if (isFlag || isNamed || option->get_required()) continue;
        option->capture_default_str();
        if (option->get_default_str() == "[]") option->default_str("");
    }
    for (CLI::App* sub : app.get_subcommands({})) showDefaults(*sub);
}

void addCommonOptions(CLI::App& app, CommonOptions& common) {
    const char* kGroup = "Common options";
    app.add_flag("--json", common.json, "the result as one JSON document on stdout")->group(kGroup);
    app.add_flag("--events", common.events, "newline-delimited events on stdout (the wire protocol)")
        ->group(kGroup);
    app.add_flag("--quiet", common.quiet, "no progress and no notes on stderr")->group(kGroup);
    app.add_flag("--force", common.force,
                 "overwrite existing outputs; train although the memory will not suffice")
        ->group(kGroup);
    app.add_option("--project", common.project,
                   "project folder (default: nearest upward with a project.toml)")
        ->group(kGroup)
        ->type_name("DIR");
    app.add_option("--device", common.device, "cpu, cuda, cuda:N or auto")->group(kGroup)->type_name("NAME");
    app.add_option("--threads", common.threads,
                   "threads inside one operation; 0: chosen (kurve describe devices)")
        ->group(kGroup)
        ->check(CLI::Validator(checkThreads, fmt::format("0 to {}", mostThreads())));
    app.add_option("--seed", common.seed, "random seed (default: that of the experiment or the sampler)")
        ->group(kGroup)
        ->check(CLI::Validator(checkSeed, ""));
    app.add_option_function<std::vector<std::string>>(
           "--set",
           [&common](const std::vector<std::string>& all) {
               for (const auto& one : all) addOverride(common, one);
           },
           "a setting; repeatable")
        ->group(kGroup)
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
}

int requestedThreads(int argc, char** argv) {
    // More are refused by the parse; LibTorch would be making them for minutes before that.
    const auto bounded = [](const char* text) {
        const long threads = std::strtol(text, nullptr, 10);
        return threads > 0 && threads <= mostThreads() ? static_cast<int>(threads) : 0;
    };
    for (int i = 1; i < argc; ++i) {
        const std::string_view text = argv[i];
        if (text == "--threads" && i + 1 < argc) return bounded(argv[i + 1]);
        if (text.rfind("--threads=", 0) == 0) return bounded(argv[i] + std::strlen("--threads="));
    }
    return 0;
}

bool jsonRequested(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--json") == 0) return true;
    return false;
}

}  // namespace kurve::engine
