// Every bundled experiment is what this build's families understand, and finds its text and its tokenizer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <filesystem>
#include <set>

#include "core/base/hash.h"
#include "core/store/project.h"
#include "core/store/run_reader.h"
#include "core/text/dataset.h"
#include "models/families.h"

namespace kurve {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> experimentsOf(const std::string& project) {
    const auto opened = store::Project::open(fs::path(KURVE_SOURCE_DIR) / "projects" / project);
    EXPECT_TRUE(opened) << opened.error().text();
    return opened->experiments();
}

TEST(BundledExperiments, AreUnderstood) {
    std::set<std::string> names;
    for (const char* project :
         {"sample", "blank", "isotropy-study", "text-diffusion", "continuous", "concepts", "seq2seq"}) {
        const auto files = experimentsOf(project);
        EXPECT_FALSE(files.empty());
        for (const fs::path& file : files) {
            const auto config = RunConfig::load(file.string(), models::schemaLookup());
            ASSERT_TRUE(config) << config.error().text();
            EXPECT_EQ(config->name(), file.stem());
            EXPECT_TRUE(names.insert(config->contentHash()).second) << file << " is another one's double";
            const auto again = RunConfig::parse(config->canonicalText(), "canonical", models::schemaLookup());
            ASSERT_TRUE(again) << again.error().text();
            EXPECT_EQ(again->contentHash(), config->contentHash());
        }
    }
}

/// What packaging/study trains: a cell's settings, in the study's experiment or in one that the cell names.
TEST(BundledStudies, EveryCellIsAnExperiment) {
    int cells = 0;
    for (const char* project : {"sample", "isotropy-study", "text-diffusion", "continuous", "concepts"}) {
        const fs::path folder = fs::path(KURVE_SOURCE_DIR) / "projects" / project;
        for (const auto& file : fs::directory_iterator(folder / "studies")) {
            if (file.path().extension() != ".toml") continue;
            const toml::table study = toml::parse_file(file.path().string());
            for (const auto& [cell, settings] : *study["cells"].as_table()) {
                std::string experiment = study["experiment"].value_or(std::string());
                const std::string first = study["first"]["experiment"].value_or(std::string());
                std::vector<Override> changes, firstChanges;
                for (const auto& one : *settings.as_array()) {
                    const std::string text = one.value_or(std::string());
                    const auto equals = text.find('=');
                    if (equals == std::string::npos)
                        experiment = text;
                    else if (text.starts_with("first."))
                        firstChanges.emplace_back(text.substr(6, equals - 6), text.substr(equals + 1));
                    else
                        changes.emplace_back(text.substr(0, equals), text.substr(equals + 1));
                }
                const auto check = [&, named = cell.str()](const std::string& name,
                                                           const std::vector<Override>& settingsOfIt) {
                    const auto config = RunConfig::load((folder / "experiments" / (name + ".toml")).string(),
                                                        models::schemaLookup(), settingsOfIt);
                    EXPECT_TRUE(config) << file.path() << ": " << named << ": " << config.error().text();
                };
                check(experiment, changes);
                if (!first.empty()) check(first, firstChanges);
                ++cells;
            }
        }
    }
    EXPECT_GT(cells, 40);
}

TEST(BundledExperiments, TheThreeRestoreModelsDifferInTheModelOnly) {
    const auto load = [](const std::string& name) {
        return *RunConfig::load(
            (fs::path(KURVE_SOURCE_DIR) / "projects/sample/experiments" / (name + ".toml")).string(),
            models::schemaLookup());
    };
    for (const std::string suffix : {"", "-long"})
        for (const std::string other : {"restore-sclm", "restore-repeat"})
            for (const auto& row : difference(load("restore-difformer" + suffix), load(other + suffix)))
                EXPECT_TRUE(row.key.starts_with("map.")) << other << suffix << ": " << row.key;
    const auto rows = difference(load("restore-sclm"), load("restore-repeat"));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].key, "map.kind");
}

TEST(BundledExperiments, TheirTokenizersAreBundled) {
    const fs::path sample = fs::path(KURVE_SOURCE_DIR) / "projects/sample";
    const fs::path copy = fs::temp_directory_path() / ("kurve_bundled_" + std::to_string(::getpid()));
    fs::create_directories(copy);
    fs::copy(sample / "data", copy / "data", fs::copy_options::recursive);
    for (const char* name :
         {"restore-difformer", "restore-sclm-long", "modernise-sclm-long", "translate-sclm"}) {
        const auto config = RunConfig::load((sample / "experiments" / (std::string(name) + ".toml")).string(),
                                            models::schemaLookup());
        ASSERT_TRUE(config);
        const auto tokenizers = text::openTokenizers(*config, copy);
        ASSERT_TRUE(tokenizers) << tokenizers.error().text();
        EXPECT_TRUE(fs::exists(sample / "data/tokenizers" / tokenizers->sourceFolder.filename()))
            << name << " had to train " << tokenizers->sourceFolder.filename();
    }
    fs::remove_all(copy);
}

TEST(BundledRuns, AreFinishedAndOneOfEachProjectButSeq2seqCanBeResumed) {
    for (const std::string project :
         {"sample", "isotropy-study", "text-diffusion", "continuous", "concepts", "seq2seq"}) {
        const fs::path runs = fs::path(KURVE_SOURCE_DIR) / "projects" / project / "runs";
        int count = 0, whole = 0;
        for (const auto& run : fs::directory_iterator(runs)) {
            EXPECT_TRUE(fs::exists(run.path() / "BUNDLED")) << run.path();
            const auto reader = store::RunReader::open(run.path());
            ASSERT_TRUE(reader) << reader.error().text();
            EXPECT_EQ((*reader)->values().at("state"), "completed") << run.path();
            EXPECT_FALSE((*reader)->traces().empty()) << run.path();
            for (const auto& row : (*reader)->traces())
                EXPECT_EQ(*sha256File(run.path() / row.path.text()), row.sha256)
                    << run.path() / row.path.text();
            for (const auto& checkpoint : fs::directory_iterator(run.path() / "checkpoints"))
                whole += fs::exists(checkpoint.path() / "optimizer.safetensors") ? 1 : 0;
            ++count;
        }
        EXPECT_GE(count, 2) << project;
        EXPECT_EQ(whole, project == "seq2seq" ? 0 : 1) << project;
    }
}

TEST(BundledRuns, AreSmall) {
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::recursive_directory_iterator(fs::path(KURVE_SOURCE_DIR) / "projects"))
        if (file.is_regular_file()) bytes += file.file_size();
    EXPECT_LT(bytes, 100U << 20);
}

}  // namespace
}  // namespace kurve
