#include <fmt/format.h>

#include "app/engine/data_commands.h"
#include "app/engine/output.h"
#include "core/base/inside.h"
#include "core/text/published/published_tokenizer.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;

struct TokenizerImport {
    std::string path, name;
};

/// What it is called where no name is given: gpt2.tiktoken, the folder of a tokenizer.json.
std::string tokenizerNameOf(const fs::path& file) {
    return file.extension() == ".tiktoken"
               ? file.stem().string()
               : fs::absolute(file).lexically_normal().parent_path().filename().string();
}

Status importTokenizer(const TokenizerImport& request, const CommonOptions& common, Output& out) {
    KURVE_TRY(const store::Project project, openProject(common));
    KURVE_TRY(const text::PublishedTokenizer published, text::readPublishedTokenizer(request.path));
    const std::string name = request.name.empty() ? tokenizerNameOf(published.file) : request.name;
    if (!isFileName(name))
        return requestError("tokenizer.name", fmt::format("“{}” is no name of a folder", name))
            .at("name")
            .fix("choose letters and digits");
    const fs::path folder = project.folder() / "data" / "tokenizers" / name;
    KURVE_TRY(const auto tokenizer, text::storePublishedTokenizer(published, 0, folder));
    const std::string setting = text::kPublishedPrefix + name;
    nlohmann::json special = nlohmann::json::object();
    const text::SpecialIds& ids = tokenizer->special();
    for (const auto& [key, id] :
         {std::pair("bos", ids.bos), std::pair("eos", ids.eos), std::pair("pad", ids.pad),
          std::pair("unk", ids.unk), std::pair("mask", ids.mask)})
        special[key] = id == text::SpecialIds::kNone ? nlohmann::json() : nlohmann::json(id);
    out.result({{"tokenizer", name},
                {"kind", published.kind},
                {"vocabulary", tokenizer->vocabularySize()},
                {"special", std::move(special)},
                {"sha256", tokenizer->hash()},
                {"setting", setting}},
               fmt::format("{} tokens, {}\nuse it with data.tokenizer.kind = \"{}\"\n",
                           tokenizer->vocabularySize(), published.kind, setting));
    return {};
}

Action setupTokenizerImport(CLI::App& app) {
    auto request = std::make_shared<TokenizerImport>();
    app.add_option("path", request->path, "tokenizer.json, *.tiktoken, vocab.txt, or a folder that holds one")
        ->required()
        ->type_name("PATH");
    app.add_option("--name", request->name,
                   "what it is called in the project (default: as its folder or file)");
    return [request](const CommonOptions& common, Output& out) {
        return importTokenizer(*request, common, out);
    };
}

}  // namespace

Action setupDataTokenizer(CLI::App& app) {
    app.require_subcommand(1);
    CLI::App* sub = app.add_subcommand("import", "copy a published tokenizer into the project");
    sub->fallthrough();
    return setupTokenizerImport(*sub);
}

}  // namespace kurve::engine
