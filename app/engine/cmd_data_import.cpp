#include <fmt/format.h>

#include <map>

#include "app/engine/corpus_check.h"
#include "app/engine/data_commands.h"
#include "core/base/counted.h"

namespace kurve::engine {
namespace {

struct ImportArguments {
    text::ImportRequest request;
    std::string kind = "pairs";
    bool isCut = false;                        ///< every line of a document is a sentence
    std::map<std::string, std::string> files;  ///< "train", "train-target", …
    bool isCheck = false;
    CheckSettings check;
};

std::string importText(const text::ImportReport& report) {
    std::string out;
    const bool documents = report.kind == text::CorpusKind::Documents;
    const bool pairs = report.kind == text::CorpusKind::Pairs;
    const char* noun = documents ? "document" : pairs ? "pair" : "text";
    for (const auto& [name, split] : report.splits) {
        out += fmt::format("{:<6}{:>18}  {}{}  sha256 {}\n", name, counted(split.pairs, noun),
                           documents ? counted(split.sentences, "sentence") + "  " : "", split.file,
                           split.sha256.substr(0, 12));
        const text::CorpusReport& read = split.report;
        if (const auto left = read.emptySides + read.tooLong; left > 0)
            out += fmt::format("{:>24} left out: {} {}, {} too long\n",
                               counted(left, documents ? "document" : "line"), read.emptySides,
                               documents ? "without a letter" : "with an empty side", read.tooLong);
        for (const std::string& example : read.examples) out += "        " + example + "\n";
    }
    if (report.removedAsLeak > 0)
        out += counted(report.removedAsLeak, noun) + " of another split left out of train\n";
    for (const auto& [name, leak] : report.leaks)
        out += leak.pairs == 0
                   ? fmt::format("{} shares no {} with train\n", name,
                                 documents ? "document"
                                 : pairs   ? "sentence"
                                           : "line")
                   : fmt::format("{}: {} {} train, for example “{}”\n", name, counted(leak.pairs, noun),
                                 pairs ? "with a sentence of" : "also in", leak.examples.front());
    return out;
}

Status runImport(const ImportArguments& arguments, const CommonOptions& common, Output& out) {
    text::ImportRequest request = arguments.request;
    request.force = common.force;
    request.kind = *text::corpusKindOf(arguments.kind);
    request.options.running = !arguments.isCut;
    for (const char* split : {"train", "valid", "test"}) {
        const std::string source = arguments.files.at(split),
                          target = arguments.files.at(std::string(split) + "-target");
        if (!source.empty()) request.splits[split] = {source, target};
    }
    KURVE_TRY(const store::Project project, openProject(common));
    if (arguments.isCheck) {
        KURVE_TRY(const nlohmann::json found, checkCorpus(request, arguments.check, project.folder()));
        out.result(found, checkText(found));
        return {};
    }
    KURVE_TRY(const text::ImportReport report, text::importCorpus(request, project.folder()));
    out.result(text::toJson(report), importText(report));
    return {};
}

void addCheck(CLI::App& app, ImportArguments& arguments) {
    auto* check =
        app.add_flag("--check", arguments.isCheck, "write nothing: report what an import would find");
    app.add_option("--tokenizer-kind", arguments.check.tokenizer.kind,
                   "tokenize with this kind, trained on the training split for the check")
        ->check(CLI::IsMember({"bpe", "unigram", "word", "whitespace", "character", "byte"}))
        ->needs(check);
    app.add_option("--vocabulary", arguments.check.tokenizer.vocabularySize, "vocabulary size")
        ->check(CLI::Range(16, 256000))
        ->needs(check);
    app.add_option("--max-length", arguments.check.maxLength,
                   "count pairs with a longer side, as data.max_length leaves them out")
        ->check(CLI::Range(4, 4096))
        ->needs(check);
}

}  // namespace

Action setupDataImport(CLI::App& app) {
    auto arguments = std::make_shared<ImportArguments>();
    app.add_option("name", arguments->request.name, "name of the corpus")->required();
    for (const std::string split : {"train", "valid", "test"}) {
        auto* file = app.add_option("--" + split, arguments->files[split],
                                    "the " + split +
                                        " pairs: a TSV, a *.jsonl with src and trg in each line, or their "
                                        "source lines; or texts, documents")
                         ->type_name("FILE");
        if (split == "train") file->required();
        app.add_option("--" + split + "-target", arguments->files[split + "-target"], "their target lines")
            ->type_name("FILE")
            ->needs(file);
    }
    app.add_option(
           "--kind", arguments->kind,
           "pairs; text: lines without a source; documents: lines with an empty one behind each "
           "document, cut into sentences (data.kind). --valid-pairs and --test-pairs then count texts "
           "or documents")
        ->check(CLI::IsMember({"pairs", "text", "documents"}));
    app.add_flag("--sentences", arguments->isCut, "of documents: every line is a sentence already");
    app.add_option("--sentence-cap", arguments->request.options.sentenceCap,
                   "of documents: characters above which a sentence is cut")
        ->check(CLI::Range(8, 4096));
    app.add_option("--valid-pairs", arguments->request.validPairs,
                   "hold out N validation pairs from train (default: none)")
        ->excludes("--valid");
    app.add_option("--test-pairs", arguments->request.testPairs,
                   "hold out N test pairs from train (default: none)")
        ->excludes("--test");
    app.add_flag("--same-language", arguments->request.sameLanguage,
                 "note that source and target share a language (data.same_language)");
    addCheck(app, *arguments);
    addColumns(app, arguments->request.options);
    return
        [arguments](const CommonOptions& common, Output& out) { return runImport(*arguments, common, out); };
}

}  // namespace kurve::engine
