// Every text that may name a file is listed: the members of messages and documents, the entries of a run's
// record and of a trace, and the settings. One that is not listed fails here. Whoever enters one says
// what becomes of it; where anybody may have written it, that is a test which tries hostile ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "tests/layering/source_tree.h"

namespace kurve::layering {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Not the name of a test: why there is none.
constexpr const char *kForReaders = "for readers: written for people and scripts, never read as a path by us",
                     *kNoPath = "no path: a number, a hash, a list or a choice",
                     *kCorpus = "corpus: read only, and may lie elsewhere as the guide says";

using Names = std::map<std::string, std::string>;

const Names& members() {
    constexpr const char *kRecords = "HostileProjectTest.RecordsAndMessagesNameRunsOrTraces",
                         *kRequest = "TraceRequest.TakesNoPathFromATrace",
                         *kRunId = "PathColumns.AHostileRunIdOfTheIndexLeadsNowhere";
    static const Names names{
        {"branch_parent", "VocabularySource.ATraceIsReadByItsNameInTheRun"},
        {"checkpoint", kRequest},
        {"checkpoint_mb", kNoPath},
        {"checkpoint_sha256", kNoPath},
        {"checkpoint_step", kRequest},
        {"checkpointed_memory_mb", kNoPath},
        {"checkpointing", kNoPath},
        {"checkpoints", kNoPath},
        {"checkpoints_mb", kNoPath},
        {"corpora", kCorpus},
        {"default_experiment", kNoPath},  // a name among those that are there
        {"experiment", "QueueStateTest.StartsTrainingsOnly"},
        {"file", "InspectServiceTest.ReadsTracesOfTheRunOnly"},
        {"files", "CheckpointTest.RefusesForeignFileNames"},
        {"folder", "MachinesTest.RunsNothingButKurve"},
        {"follow", kRecords},
        {"parent", kRecords},
        {"parent_checkpoint", kRecords},
        {"path", "RemoteFiles.NamesLeadNowhereElse"},
        {"queue", kNoPath},
        {"reproduces", kRunId},
        {"run", kRequest},
        {"runs", kRunId},
        {"schedule", kNoPath},
        {"schedules", kNoPath},
        {"source", kForReaders},
        {"pretokenizers", kNoPath},
        {"source_files", kForReaders},
        {"source_format", kNoPath},
        {"source_length", kNoPath},
        {"source_lengths", kNoPath},
        {"source_run", kNoPath},
        {"source_sha256", kNoPath},
        {"source_tokenizer_hash", kRecords},
        {"source_tokens", kNoPath},
        {"tokenizer", kNoPath},
        {"tokenizer_hash", "VocabularySource.StaysInTheProject"},
        {"trace", "InspectServiceTest.ReadsTracesOfTheRunOnly"},
        {"traces", kNoPath},
        {"words", "QueueStateTest.StartsTrainingsOnly"},
    };
    return names;
}

const Names& settings() {
    static const Names names{
        {"data.distilled_train", kCorpus},
        {"data.prompts", kCorpus},
        {"data.test", kCorpus},
        {"data.valid", kCorpus},
        {"data.test_target", kCorpus},
        {"data.train", kCorpus},
        {"points", kNoPath},
        {"data.train_target", kCorpus},
        {"data.valid_target", kCorpus},
        {"train.init_from_parameters", kNoPath},
        {"data.prompt_end", kNoPath},
        {"data.end_sentence", kNoPath},
        {"train.parameter_groups", kNoPath},
    };
    return names;
}

std::string textOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string sources() {
    std::string all;
    for (const auto& file : readTree(KURVE_SOURCE_DIR))
        for (const auto& line : file.lines) all += line + "\n";
    return all;
}

void find(const std::string& text, const char* pattern, std::set<std::string>& names) {
    const std::regex expression(pattern);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), expression); it != std::sregex_iterator();
         ++it)
        names.insert((*it)[1]);
}

/// The names that tell of a file, a folder or what is one on the disk.
std::set<std::string> pathLike(const std::set<std::string>& names) {
    static const std::regex kWords(
        "path|file|folder|dir$|^dir|trace|checkpoint|parent|follow|source|socket|reproduces|^runs?$|"
        "tokenizer|"
        "corpora|^words$|^out$|^db$|queue|experiment|schedule");
    std::set<std::string> found;
    for (const auto& name : names)
        if (std::regex_search(name, kWords)) found.insert(name);
    return found;
}

std::set<std::string> keysOf(const Names& names) {
    std::set<std::string> keys;
    for (const auto& [key, use] : names) keys.insert(key);
    return keys;
}

std::vector<std::string> onlyInFirst(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::vector<std::string> names;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(names));
    return names;
}

TEST(PathNames, EveryMemberThatMayNameAFileIsListed) {
    const std::string all = sources();
    std::set<std::string> names;
    for (const char* pattern :
         {R"re(\{"([a-z_0-9]+)",)re", R"re(\.(?:value|at|find|contains)\(\s*"([a-z_0-9]+)")re",
          R"re(\["([a-z_0-9]+)"\])re",
          R"re((?:metaText|meta|text|named|textOr|textAt|set)\((?:[a-z_]+, )?"([a-z_0-9]+)")re",
          R"re(value\(QStringLiteral\("([a-z_0-9]+)"\))re", R"re(\{QStringLiteral\("([a-z_0-9]+)"\),)re"})
        find(all, pattern, names);
    EXPECT_THAT(onlyInFirst(pathLike(names), keysOf(members())), IsEmpty()) << "are listed nowhere";
    EXPECT_THAT(onlyInFirst(keysOf(members()), pathLike(names)), IsEmpty()) << "are no more";
}

TEST(PathNames, EverySettingThatIsATextIsListed) {
    std::set<std::string> names;
    find(sources(), R"re(textField\(\s*"([a-z_.]+)")re", names);
    EXPECT_EQ(names, keysOf(settings()));
}

TEST(PathNames, NamedTestsExist) {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(KURVE_SOURCE_DIR) / "tests"))
        if (entry.path().extension() == ".cpp") all += textOf(entry.path());
    for (const Names* names : {&members(), &settings()})
        for (const auto& [key, use] : *names) {
            const auto dot = use.find('.');
            if (dot == use.npos) continue;
            EXPECT_THAT(all, HasSubstr("(" + use.substr(0, dot) + ", " + use.substr(dot + 1) + ")")) << key;
        }
}

}  // namespace
}  // namespace kurve::layering
