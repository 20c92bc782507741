#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "app/engine/commands.h"
#include "app/engine/corpus_statistics.h"
#include "app/engine/data_commands.h"
#include "app/engine/output.h"
#include "core/base/counted.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/store/project.h"
#include "core/store/run_reader.h"
#include "core/text/published/published_tokenizer.h"
#include "core/text/run_tokenizers.h"
#include "core/text/statistics.h"
#include "core/text/tokenizer.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A folder, or one in the project by its name or its first letters.
Result<fs::path> tokenizerFolder(const std::string& name, const CommonOptions& common) {
    if (text::isTokenizerFolder(name)) return fs::path(name);
    std::vector<std::string> known;
    if (const auto project = openProject(common)) {
        std::error_code ignored;
        const fs::path all = project->folder() / "data" / "tokenizers";
        if (isFileName(name) && text::isTokenizerFolder(all / name)) return all / name;
        for (const auto& entry : fs::directory_iterator(all, ignored)) {
            known.push_back(entry.path().filename().string());
            if (name.size() >= 4 && known.back().starts_with(name.substr(0, 12))) return entry.path();
        }
    }
    return requestError("tokenizer.missing", fmt::format("there is no tokenizer “{}”", name))
        .at("tokenizer")
        .fix(known.empty() ? "name a folder with a tokenizer.json"
                           : "name its folder, or one of: " + join(known, ", "));
}

Result<std::shared_ptr<const text::Tokenizer>> namedTokenizer(const std::string& name,
                                                              const CommonOptions& common) {
    std::error_code ignored;
    if (fs::exists(name, ignored) && !text::isTokenizerFolder(name)) {
        KURVE_TRY(const text::PublishedTokenizer published, text::readPublishedTokenizer(name));
        return published.tokenizer;
    }
    KURVE_TRY(const fs::path folder, tokenizerFolder(name, common));
    return text::loadTokenizer(folder);
}

// ---- kurve data stats
// ------------------------------------------------------------------------------------------

struct StatsRequest {
    std::vector<std::string> files;
    std::string tokenizer;
    std::string kind;
    bool parallel = false;
    std::int64_t maxLength = 0;
    text::CorpusOptions columns;
};

Result<std::vector<std::pair<std::string, text::Corpus>>> readFiles(const StatsRequest& request) {
    std::vector<std::pair<std::string, text::Corpus>> corpora;
    const std::size_t step = request.parallel ? 2 : 1;
    if (request.files.size() % step != 0)
        return requestError("data.files", "--parallel takes source and target files in turn")
            .fix("name both files of each split");
    for (std::size_t i = 0; i < request.files.size(); i += step) {
        text::CorpusSource files{request.files[i], {}, text::CorpusKind::Pairs, request.columns};
        if (request.parallel) files.target = request.files[i + 1];
        if (!request.kind.empty())
            files.kind = *text::corpusKindOf(request.kind);
        else if (!request.parallel && files.source.extension() == ".txt")
            files.kind = text::CorpusKind::Text;
        auto corpus = text::readCorpus(files);
        if (!corpus) return corpus.error();
        corpora.emplace_back(request.files[i], std::move(*corpus));
    }
    return corpora;
}

std::string statsText(const json& all) {
    std::string out = fmt::format("{:<40}{:>9}{:>11}{:>7}{:>7}{:>7}{:>9}{:>8}{:>10}\n", "file", "pairs",
                                  "tokens", "p50", "p95", "max", "unknown", "copies", "in train");
    for (const json& file : all["files"])
        out += fmt::format(
            "{:<40}{:>9}{:>11}{:>7}{:>7}{:>7}{:>8.2f}%{:>8}{:>10}\n", file["file"].get<std::string>(),
            file["pairs"].get<std::int64_t>(), file["tokens"].get<std::int64_t>(),
            file["length"]["p50"].get<std::int64_t>(), file["length"]["p95"].get<std::int64_t>(),
            file["length"]["max"].get<std::int64_t>(), 100 * file["oov_rate"].get<double>(),
            file["duplicates"].get<std::int64_t>(), file["train_valid_overlap"].get<std::int64_t>());
    const std::int64_t left = all["empty_sides"].get<std::int64_t>() + all["too_long"].get<std::int64_t>();
    if (left > 0)
        out += fmt::format("{} left out: {} with an empty side, {} too long\n", counted(left, "line"),
                           all["empty_sides"].get<std::int64_t>(), all["too_long"].get<std::int64_t>());
    if (const auto sentences = all["sentences"].get<std::int64_t>(); sentences > 0)
        out += fmt::format("{} of {}; lengths are of sentences\n",
                           counted(all["pairs"].get<std::int64_t>(), "document"),
                           counted(sentences, "sentence"));
    if (const auto truncated = all["truncated"].get<std::int64_t>(); truncated > 0)
        out += counted(truncated, "pair") + " longer than --max-length\n";
    for (const json& example : all["examples"]) out += "  " + example.get<std::string>() + "\n";
    return out;
}

Status showStats(const StatsRequest& request, const CommonOptions& common, Output& out) {
    std::shared_ptr<const text::Tokenizer> tokenizer;
    if (!request.tokenizer.empty()) {
        KURVE_TRY(tokenizer, namedTokenizer(request.tokenizer, common));
    }
    KURVE_TRY(const auto corpora, readFiles(request));
    CorpusStatistics total;
    json files = json::array(), examples = json::array();
    double unknown = 0;
    std::int64_t overlap = 0;
    for (const auto& [name, corpus] : corpora) {
        const CorpusStatistics one = corpusStatistics(corpus, lengthsBy(tokenizer), request.maxLength);
        total.add(one);
        const bool isTrain = &corpus == &corpora.front().second;
        json row = fileRow(corpus, one, isTrain ? nullptr : &corpora.front().second, tokenizer != nullptr);
        unknown += row["oov_rate"].get<double>() * static_cast<double>(one.tokens);
        overlap += row["train_valid_overlap"].get<std::int64_t>();
        row["file"] = name;
        files.push_back(std::move(row));
        for (const std::string& example : corpus.report.examples) examples.push_back(example);
    }
    json all = statisticsJson(total);
    all["oov_rate"] = unknown / static_cast<double>(std::max<std::int64_t>(total.tokens, 1));
    all["train_valid_overlap"] = overlap;
    all["counted_in"] = tokenizer ? "tokens" : "words";
    all["files"] = std::move(files);
    all["examples"] = std::move(examples);
    out.result(all, statsText(all));
    return {};
}

// ---- kurve data tokenize
// ---------------------------------------------------------------------------------------

struct TokenizeRequest {
    std::string run, tokenizer, side = "source";
};

/// `run` is an id in the project or a run folder.
Result<std::shared_ptr<const text::Tokenizer>> tokenizerOfRun(const TokenizeRequest& request,
                                                              const CommonOptions& common) {
    fs::path folder = fs::absolute(request.run).lexically_normal();
    if (!fs::exists(folder / "run.db")) {
        KURVE_TRY(const store::Project project, openProject(common));
        folder = project.runFolder(request.run);
    }
    if (const auto run = store::RunReader::open(folder); !run) return run.error();
    KURVE_TRY(const text::Tokenizers tokenizers, text::loadRunTokenizers(folder));
    return request.side == "target" ? tokenizers.target : tokenizers.source;
}

Result<std::shared_ptr<const text::Tokenizer>> chosenTokenizer(const TokenizeRequest& request,
                                                               const CommonOptions& common) {
    if (!request.run.empty()) return tokenizerOfRun(request, common);
    return namedTokenizer(request.tokenizer, common);
}

Status tokenize(const TokenizeRequest& request, const CommonOptions& common, Output& out) {
    KURVE_TRY(const auto tokenizer, chosenTokenizer(request, common));
    json lines = json::array();
    std::string text, line;
    for (int number = 1; std::getline(std::cin, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (const auto bad = firstInvalidUtf8(line))
            return requestError("data.utf8", fmt::format("byte {} is not UTF-8", *bad + 1))
                .in("standard input", number)
                .fix("convert the text, for example with iconv -f latin1 -t utf-8");
        const auto ids = tokenizer->encode(line);
        std::vector<std::string> pieces;
        for (const std::int32_t id : ids) pieces.push_back(tokenizer->token(id));
        text += join(pieces, " ") + "\n";
        lines.push_back({{"text", line}, {"ids", ids}, {"pieces", pieces}});
    }
    out.content({{"lines", std::move(lines)}, {"tokenizer", tokenizer->hash()}}, text);
    return {};
}

Action setupStats(CLI::App& app) {
    auto request = std::make_shared<StatsRequest>();
    app.add_option("file", request->files,
                   "corpora: the training split first, the others are compared with it")
        ->required()
        ->type_name("FILE");
    app.add_option("--kind", request->kind,
                   "what they hold; documents: a sentence in each line, an empty one behind each document "
                   "(default: text for *.txt, else pairs)")
        ->check(CLI::IsMember({"pairs", "text", "documents"}));
    app.add_flag("--running", request->columns.running, "of documents: cut their text into sentences");
    app.add_flag("--parallel", request->parallel, "files are source and target lines in turn, no TSVs");
    app.add_option("--tokenizer", request->tokenizer,
                   "count its tokens: folder or hash (default: words between blanks)");
    app.add_option("--max-length", request->maxLength,
                   "count pairs with a longer side, as data.max_length does (default: no limit)")
        ->check(CLI::PositiveNumber);
    addColumns(app, request->columns);
    return [request](const CommonOptions& common, Output& out) { return showStats(*request, common, out); };
}

Action setupTokenize(CLI::App& app) {
    auto request = std::make_shared<TokenizeRequest>();
    auto* run = app.add_option("--run", request->run, "the tokenizer of this run");
    auto* tokenizer = app.add_option("--tokenizer", request->tokenizer,
                                     "a tokenizer's folder or its hash; also a published one: "
                                     "tokenizer.json, *.tiktoken, vocab.txt")
                          ->excludes(run);
    app.add_option("--side", request->side, "where source and target have tokenizers of their own")
        ->check(CLI::IsMember({"source", "target"}));
    app.final_callback([run, tokenizer] {
        if (run->count() + tokenizer->count() == 0) throw CLI::RequiredError("--run or --tokenizer");
    });
    return [request](const CommonOptions& common, Output& out) { return tokenize(*request, common, out); };
}

}  // namespace

Result<store::Project> openProject(const CommonOptions& common) {
    return common.project.empty() ? store::Project::findUpward(fs::current_path())
                                  : store::Project::open(common.project);
}

void addColumns(CLI::App& app, text::CorpusOptions& options) {
    app.add_option("--source-column", options.sourceColumn, "column of the TSV that holds the source")
        ->check(CLI::Range(1, 64));
    app.add_option("--target-column", options.targetColumn, "column of the TSV that holds the target")
        ->check(CLI::Range(1, 64));
}

Action setupData(CLI::App& app) {
    app.require_subcommand(1);
    std::vector<std::pair<CLI::App*, Action>> actions;
    const auto add = [&](const char* name, const char* summary, Action (*setup)(CLI::App&)) {
        CLI::App* sub = app.add_subcommand(name, summary);
        sub->fallthrough();  // --json and the other common options are the parent's
        actions.emplace_back(sub, setup(*sub));
    };
    add("stats", "count lines, lengths, unknown words, copies and leaks", setupStats);
    add("import", "copy a corpus into the project, with hashes and a leak check", setupDataImport);
    add("tokenizer", "import a published tokenizer: tokenizer.json, *.tiktoken, vocab.txt",
        setupDataTokenizer);
    add("tokenize", "show the tokens of standard input's lines", setupTokenize);
    add("vectors", "store or print the vectors that an encoder gives sentences", setupDataVectors);
    return [actions](const CommonOptions& common, Output& out) -> Status {
        for (const auto& [sub, action] : actions)
            if (sub->parsed()) return action(common, out);
        return {};
    };
}

}  // namespace kurve::engine
