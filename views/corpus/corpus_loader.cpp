#include "views/corpus/corpus_loader.h"

#include <toml++/toml.h>
#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/wire/fields.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace fs = std::filesystem;

namespace {

int words(const std::string& line) {
    std::istringstream in(line);
    std::string word;
    int count = 0;
    while (in >> word) ++count;
    return count;
}

text::LengthSummary summarize(const std::vector<int>& lengths) {
    return text::summarizeLengths(std::vector<std::int64_t>(lengths.begin(), lengths.end()));
}

/// A table, or texts that are called a split: NAME.train.txt. Other texts are notes.
bool isCorpus(const fs::path& file) {
    const auto split = file.stem().extension();
    return file.extension() == ".tsv" ||
           (file.extension() == ".txt" && (split == ".train" || split == ".valid" || split == ".test"));
}

/// "data/my" of data/my.train.tsv.
std::string corpusName(const fs::path& file) {
    std::string name = file.string();
    const std::string suffix = file.extension().string();
    for (const char* split : {".train", ".valid", ".test"})
        if (const auto at = name.rfind(split + suffix); at != std::string::npos) name.erase(at);
    return name;
}

/// What the import of the corpus noted; null if it was not imported.
nlohmann::json recordOf(const fs::path& file) {
    const auto text = readFile(corpusName(file) + ".corpus.json");
    return nlohmann::json::parse(text.value_or(""), nullptr, false);
}

/// As data.kind has it.
std::string kindOf(const fs::path& file) {
    if (file.extension() != ".txt") return "pairs";
    const nlohmann::json record = recordOf(file);
    return wire::Fields(record).text("kind") == "documents" ? "documents" : "text";
}

}  // namespace

std::vector<fs::path> corpusFiles(const fs::path& project) {
    std::vector<fs::path> files;
    std::error_code problem;
    const auto data = project / "data";
    for (auto it = fs::recursive_directory_iterator(data, problem); it != fs::end(it);
         it.increment(problem)) {
        if (problem) break;
        const auto name = it->path().filename().string();
        if (it->is_directory(problem) && (name == "cache" || name == "tokenizers"))
            it.disable_recursion_pending();
        if (it->is_regular_file(problem) && isCorpus(it->path()))
            files.push_back(it->path().lexically_relative(project));
    }
    const auto isTraining = [](const fs::path& file) {
        return file.string().find("train") != std::string::npos;
    };
    std::sort(files.begin(), files.end(), [&](const auto& a, const auto& b) {
        return std::pair(!isTraining(a), a) < std::pair(!isTraining(b), b);
    });
    return files;
}

fs::path defaultCorpus(const store::Project& project) {
    const auto experiments = project.experiments();
    if (experiments.empty()) return {};
    try {  // a broken experiment is the launch panel's to explain
        return toml::parse_file(experiments.front().string())["data"]["train"].value_or(std::string());
    } catch (const toml::parse_error&) {
        return {};
    }
}

QMap<QString, QString> corpusSettings(const fs::path& project, const fs::path& file) {
    const std::string name = corpusName(file), suffix = file.extension().string();
    std::error_code ignored;
    const auto existing = [&](const fs::path& path) {
        return fs::is_regular_file(project / path, ignored) ? QString::fromStdString(path.string())
                                                            : QString();
    };
    const QString train = existing(name + ".train" + suffix), valid = existing(name + ".valid" + suffix);
    if (train.isEmpty() || valid.isEmpty()) return {};
    const fs::path stem(name);
    QMap<QString, QString> settings{
        {"data.kind", QString::fromStdString(kindOf(project / file))},
        {"data.distilled", "false"},
        {"data.train", train},
        {"data.valid", valid},
        {"data.train_target", ""},
        {"data.valid_target", ""},
        {"data.test_target", ""},
        {"data.source_column", "1"},
        {"data.target_column", "2"},
        {"data.test", existing(name + ".test" + suffix)},
        {"data.prompts", existing(stem.parent_path() / ("prompts." + stem.filename().string() + suffix))}};
    const nlohmann::json record = recordOf(project / file);
    if (const wire::Fields fields(record); fields.has("same_language"))
        settings["data.same_language"] = fields.flag("same_language") ? "true" : "false";
    return settings;
}

std::vector<TokenizerFolder> tokenizerFolders(const fs::path& project) {
    std::vector<TokenizerFolder> folders;
    std::error_code problem;
    for (auto it = fs::directory_iterator(project / "data" / "tokenizers", problem); it != fs::end(it);
         it.increment(problem)) {
        if (problem) break;
        const auto text = readFile(it->path() / "tokenizer.json");
        const auto about = nlohmann::json::parse(text.value_or(""), nullptr, false);
        if (!about.is_object()) continue;
        const wire::Fields fields(about);
        folders.push_back(
            {it->path(), QStringLiteral("%1, %2 tokens (%3)")
                             .arg(QString::fromStdString(fields.text("kind", "?")),
                                  countText(fields.integer("vocabulary", qint64(0))),
                                  QString::fromStdString(it->path().filename().string()).left(8))});
    }
    std::sort(folders.begin(), folders.end(),
              [](const auto& a, const auto& b) { return a.folder < b.folder; });
    return folders;
}

BrowsedCorpus browseCorpus(const fs::path& file) {
    BrowsedCorpus result;
    const std::string kind = kindOf(file);
    result.texts = kind != "pairs";
    result.documents = kind == "documents";
    auto corpus = text::readCorpus({file, {}, *text::corpusKindOf(kind)});
    if (!corpus) {
        result.problem = QString::fromStdString(corpus.error().text());
        return result;
    }
    result.corpus = std::move(*corpus);
    for (const text::Pair& pair : result.corpus.pairs) {
        if (!result.texts) result.sourceWords.push_back(words(pair.source));
        result.targetWords.push_back(words(pair.target));
    }
    result.source = summarize(result.sourceWords);
    result.target = summarize(result.targetWords);
    result.duplicates = text::duplicatePairs(result.corpus);
    return result;
}

BrowsedVocabulary browseVocabulary(const fs::path& folder) {
    BrowsedVocabulary result;
    const auto text = readFile(folder / "vocab.tsv", kModelBytes);
    if (!text) {
        result.problem = QString::fromStdString(text.error().text());
        return result;
    }
    for (const std::string& line : split(*text, '\n')) {
        const QStringList cells = QString::fromStdString(line).split(QLatin1Char('\t'));
        if (cells.size() != 3) continue;
        result.entries.push_back({cells[0].toInt(), cells[1], cells[2].toLongLong()});
    }
    if (const auto tokenizer = text::loadTokenizer(folder)) result.special = (*tokenizer)->special();
    return result;
}

}  // namespace kurve::views
