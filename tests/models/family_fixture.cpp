#include "tests/models/family_fixture.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/text/trained_specials.h"
#include "tests/models/toy_autoencoder.h"

namespace kurve::models::testing {

std::vector<std::vector<std::int32_t>> toySources() {
    std::vector<std::vector<std::int32_t>> sources;
    for (int r = 0; r < 8; ++r) {
        std::vector<std::int32_t> source{text::kBos};
        for (int i = 0; i < 4 + r % 4; ++i)
            source.push_back(text::kFirstRegularToken + (r * 7 + i * (3 + r % 2)) % 20);
        source.push_back(text::kEos);
        sources.push_back(source);
    }
    return sources;
}

text::Batch toyBatch(int rows, int extraPadding) {
    std::vector<std::vector<std::int32_t>> sources = toySources();
    sources.resize(static_cast<std::size_t>(rows));
    text::Batch batch;
    batch.rows = rows;
    for (const auto& source : sources)
        batch.sourceLength = std::max(batch.sourceLength, static_cast<int>(source.size()) + extraPadding);
    batch.targetLength = batch.sourceLength;
    for (int r = 0; r < rows; ++r) {
        std::vector<std::int32_t> source = sources[static_cast<std::size_t>(r)], target = source;
        std::reverse(target.begin() + 1, target.end() - 1);
        batch.sourceLengths.push_back(static_cast<std::int32_t>(source.size()));
        batch.targetLengths.push_back(static_cast<std::int32_t>(target.size()));
        source.resize(static_cast<std::size_t>(batch.sourceLength), text::kPad);
        target.resize(static_cast<std::size_t>(batch.targetLength), text::kPad);
        batch.source.insert(batch.source.end(), source.begin(), source.end());
        batch.target.insert(batch.target.end(), target.begin(), target.end());
        batch.pairs.push_back(r);
    }
    return batch;
}

train::TextShape toyShape(bool joint) {
    return {text::kFirstRegularToken + 20, text::kFirstRegularToken + 20, joint, 16, true,
            text::kTrainedSpecials};
}

bool takesPairs(const std::string& family) {
    return findFamily(family)->ownSchema().prompts.contains("pairs");
}

bool takesDocuments(const std::string& family) {
    return findFamily(family)->ownSchema().prompts.contains("documents");
}

bool rewritesTexts(const std::string& family) {
    const auto prompts = findFamily(family)->ownSchema().prompts;
    const auto found = prompts.find("text");
    return found != prompts.end() && found->second == std::vector<std::string>{"source"};
}

text::Batch batchFor(const std::string& family) {
    text::Batch batch = toyBatch();
    if (takesPairs(family)) return batch;
    std::swap(batch.target, batch.source);
    batch.source.clear();
    batch.sourceLength = 0;
    batch.sourceLengths.assign(batch.sourceLengths.size(), 0);
    if (takesDocuments(family)) batch.sentences = {2, 3, batch.rows - 5};
    return batch;
}

train::TextShape shapeFor(const std::string& family, bool joint) {
    train::TextShape shape = toyShape(joint);
    shape.hasSource = takesPairs(family);
    return shape;
}

train::ModelContext contextFor(const std::string& family, c10::Device device, bool joint) {
    const Schema schema = findFamily(family)->ownSchema();
    train::RunResolver* resolver = nullptr;
    if (schema.find("model.autoencoder") != nullptr) resolver = &toyAutoencoder(4, device);
    if (schema.find("model.concepts") != nullptr) resolver = &toyAutoencoder(0, device, "concept");
    return {shapeFor(family, joint), device, resolver};
}

train::GenerateRequest requestFor(const std::string& family) {
    train::GenerateRequest request;
    request.sources = toySources();
    if (takesPairs(family) || rewritesTexts(family)) return request;
    for (auto& source : request.sources) {
        if (takesDocuments(family))
            request.templates.push_back({{source[0]}, true, {source}});
        else
            request.templates.push_back({{source[0], source[1]}});
        source.clear();
    }
    return request;
}

std::vector<std::vector<std::int32_t>> answersFor(const std::string& family) {
    std::vector<std::vector<std::int32_t>> answers;
    for (auto& source : toySources()) {
        answers.emplace_back(source.begin() + 1, source.end() - 1);
        if (takesPairs(family)) std::reverse(answers.back().begin(), answers.back().end());
    }
    return answers;
}

RunConfig toyConfig(const std::string& family, const std::vector<Override>& settings) {
    std::vector<Override> all = known(family, {{"model.hidden", "32"},
                                               {"model.latent", "16"},
                                               {"model.ffn", "64"},
                                               {"model.heads", "2"},
                                               {"model.max_positions", "24"},
                                               {"init.embedding_std", "0.25"},
                                               {"init.output", "default"},
                                               {"model.autoencoder", "toy"},
                                               {"model.concepts", "toy"},
                                               {"diffusion.steps", "50"}});
    all.insert(all.end(), settings.begin(), settings.end());
    auto parsed =
        RunConfig::parse("family = \"" + family + "\"\npreset = \"tiny\"\n", "toy.toml", schemaLookup(), all);
    KURVE_CHECK(parsed.has_value(), "{}", parsed.error().text());
    return *parsed;
}

std::vector<Override> known(const std::string& family, std::vector<Override> settings) {
    const Schema schema = train::schemaOf(*findFamily(family));
    std::erase_if(settings, [&](const Override& s) { return schema.find(s.first) == nullptr; });
    return settings;
}

std::vector<std::string> familyIds() {
    std::vector<std::string> ids;
    for (const auto& family : families())
        if (family->trains()) ids.push_back(family->ownSchema().family);
    return ids;
}

std::vector<std::string> familiesAlone() {
    std::vector<std::string> ids = familyIds();
    std::erase_if(ids, [](const std::string& id) {
        const Schema schema = findFamily(id)->ownSchema();
        return schema.find("model.autoencoder") != nullptr || schema.find("model.concepts") != nullptr;
    });
    return ids;
}

std::unique_ptr<train::SequenceModel> toyModel(const RunConfig& config, bool joint) {
    auto made = findFamily(config.family())->create(config, contextFor(config.family(), at::kCPU, joint));
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

}  // namespace kurve::models::testing
