#include "core/train/run_reference.h"

#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/json_depth.h"
#include "core/base/text.h"
#include "core/text/run_tokenizers.h"
#include "core/train/common_fields.h"
#include "core/train/decode.h"
#include "core/train/text_scorer.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char *kReferences = "references", *kWeightsFile = "weights.safetensors",
                     *kConfigFile = "config.toml";

PinnedRun pinFrom(const json& j) {
    PinnedRun pin{j.at("field"), j.at("value"),   j.at("run"),       j.at("checkpoint"),
                  j.at("step"),  j.at("weights"), j.at("tokenizer"), {}};
    for (const json& inner : j.at("references")) pin.references.push_back(pinFrom(inner));
    if (!isPlainName(pin.field) || !isPlainName(pin.run) || !isPlainName(pin.checkpoint))
        throw std::invalid_argument("not a name");
    return pin;
}

Status linkOrCopy(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    fs::create_hard_link(from, to, problem);
    if (problem) fs::copy_file(from, to, problem);
    if (problem)
        return workError("io.write", "cannot be copied: " + problem.message())
            .in(to.string())
            .fix("check free space and permissions of the folder");
    return {};
}

/// One run into `folder`, with the runs that it is built on.
Status copyReference(const OpenReference& other, const fs::path& folder) {
    KURVE_CHECKED(linkOrCopy(other.weights, folder / kWeightsFile));
    KURVE_CHECKED(writeFileAtomically(folder / kConfigFile, other.config.canonicalText()));
    KURVE_CHECKED(text::storeRunTokenizers(other.tokenizers, folder));
    for (const PinnedRun& inner : other.pin.references) {
        if (!buildsOn(inner.field) || inner.field == kInitFrom) continue;
        KURVE_TRY(const auto opened, other.resolver->find(runField(inner.field, ""), inner.value));
        KURVE_TRY(const fs::path deeper, makeFolderInside(folder, fs::path(kReferences) / inner.field));
        KURVE_CHECKED(copyReference(*opened, deeper));
    }
    return {};
}

}  // namespace

std::vector<PinnedRun> pinsFrom(const std::string& text) {
    std::vector<PinnedRun> pins;
    if (jsonDeeperThan(text, 32)) return pins;
    const json list = json::parse(text, nullptr, false);
    if (!list.is_array()) return pins;
    try {
        for (const json& one : list) pins.push_back(pinFrom(one));
    } catch (const std::exception&) {  // a damaged record: its fields are then looked up in the project
        pins.clear();
    }
    return pins;
}

json pinsJson(const std::vector<PinnedRun>& pins) {
    json list = json::array();
    for (const PinnedRun& pin : pins)
        list.push_back({{"field", pin.field},
                        {"value", pin.value},
                        {"run", pin.run},
                        {"checkpoint", pin.checkpoint},
                        {"step", pin.step},
                        {"weights", pin.weights},
                        {"tokenizer", pin.tokenizer},
                        {"references", pinsJson(pin.references)}});
    return list;
}

std::string tokenizerHash(const text::Tokenizers& tokenizers) {
    if (tokenizers.joint()) return tokenizers.target->hash();
    return sha256(tokenizers.source->hash() + tokenizers.target->hash());
}

Result<std::unique_ptr<SequenceModel>> ReferencedRun::frozenModel(c10::Device device) {
    KURVE_TRY(auto model, family->create(config, contextOf(tokenizers, config, device, resolver.get())));
    const NamedTensors own = moduleTensors(model->module());
    if (shared_.empty() && !device.is_meta()) {
        KURVE_CHECKED(readTensors(weights, own));
        for (const auto& [name, tensor] : own) shared_[name] = tensor.detach();
    }
    for (auto [name, tensor] : own)
        if (!device.is_meta()) tensor.set_data(shared_.at(name));
    for (at::Tensor& parameter : model->module().parameters()) parameter.requires_grad_(false);
    model->module().eval();
    return model;
}

std::string ReferencedRun::name() const {
    return fmt::format("{} {} {}", pin.run, pin.checkpoint, pin.weights);
}

RunResolver::RunResolver(c10::Device device) : device_(device) {}
RunResolver::~RunResolver() = default;

Result<std::shared_ptr<ReferencedRun>> RunResolver::find(const FieldSpec& field, const std::string& value) {
    const auto known = runs_.find(field.key + "=" + value);
    if (known != runs_.end()) return known->second;
    KURVE_TRY(const auto named, parseRunReference(field, value));
    if (!named) return std::shared_ptr<ReferencedRun>();
    auto opened = open(field, *named, value);
    if (!opened) return std::move(opened.error()).at(field.key);
    const Schema schema = schemaOf(*opened->family);
    if (!schema.fits(field))
        return requestError("reference.unfit",
                            fmt::format("the run {} is of the family {}", named->run, schema.family))
            .at(field.key)
            .fix("name a run of what it takes: " + join(field.fitting, ", "));
    return runs_[field.key + "=" + value] = std::make_shared<ReferencedRun>(std::move(*opened));
}

Result<TextScorer*> RunResolver::scorer(const FieldSpec& field, const std::string& value) {
    auto& known = scorers_[field.key + "=" + value];
    if (known == nullptr) {
        KURVE_TRY(const auto run, find(field, value));
        KURVE_CHECK(run != nullptr, "a scorer without a name");
        KURVE_TRY(known, TextScorer::of(run, device_));
    }
    return known.get();
}

Result<std::shared_ptr<ReferencedRun>> referencedRun(const ModelContext& context, const RunConfig& config,
                                                     const std::string& field) {
    const std::string& value = config.text(field);
    if (value.empty()) return std::shared_ptr<ReferencedRun>();
    if (context.maybeResolver == nullptr)
        return requestError("reference.unavailable", "other runs are not available here").at(field);
    return context.maybeResolver->find(*config.schema().find(field), value);
}

Status checkSameTokenizer(const ModelContext& context, const ReferencedRun& other) {
    if (context.tokenizer.empty() || context.tokenizer == other.pin.tokenizer) return {};
    return requestError("reference.other_tokenizer",
                        fmt::format("the run {} has another tokenizer ({:.12}, here {:.12})", other.pin.run,
                                    other.pin.tokenizer, context.tokenizer))
        .at(other.pin.field)
        .fix("train both with the same data.* settings, or name a run with this tokenizer");
}

bool buildsOn(const std::string& field) {
    return !field.starts_with("sampler.") && !field.starts_with("--");
}

std::vector<const FieldSpec*> namedRuns(const RunConfig& config, bool forStart) {
    std::vector<const FieldSpec*> fields;
    for (const FieldSpec& field : config.schema().fields)
        if (field.type == FieldType::Run && !config.text(field.key).empty() &&
            (forStart || field.key != kInitFrom))
            fields.push_back(&field);
    return fields;
}

Result<std::vector<PinnedRun>> resolveReferences(RunResolver* maybeResolver, const RunConfig& config,
                                                 bool forStart) {
    std::vector<PinnedRun> pins;
    for (const FieldSpec* field : namedRuns(config, forStart)) {
        KURVE_TRY(const auto run, referencedRun({{}, c10::kCPU, maybeResolver}, config, field->key));
        pins.push_back(run->pin);
    }
    return pins;
}

Status storeReferences(RunResolver* maybeResolver, const RunConfig& config, const fs::path& runFolder) {
    for (const FieldSpec* field : namedRuns(config, /*forStart=*/false)) {
        const fs::path inside = fs::path(kReferences) / field->key, part = inside.string() + ".part";
        KURVE_TRY(const fs::path copy, pathInside(runFolder, inside));
        std::error_code problem;
        if (fs::exists(copy, problem)) continue;
        KURVE_TRY(const auto run, referencedRun({{}, c10::kCPU, maybeResolver}, config, field->key));
        KURVE_CHECKED(removeInside(runFolder, part));  // whole or not there
        KURVE_TRY(const fs::path folder, makeFolderInside(runFolder, part));
        KURVE_CHECKED(copyReference(*run, folder));
        fs::rename(folder, copy, problem);
        if (problem) return workError("io.write", "cannot be stored: " + problem.message()).in(copy.string());
    }
    return {};
}

Result<OpenReference> openCopy(const fs::path& owner, const PinnedRun& pin, const SchemaLookup& schemas) {
    OpenReference opened;
    opened.pin = pin;
    KURVE_TRY(const fs::path folder, pathInside(owner, fs::path(kReferences) / pin.field));
    KURVE_TRY(opened.weights, pathInside(folder, kWeightsFile));
    KURVE_TRY(const std::string hash, sha256File(opened.weights));
    if (hash != pin.weights) return otherWeights(pin, hash);
    KURVE_TRY(const std::string settings, readFile(folder / kConfigFile));
    KURVE_TRY(opened.config, RunConfig::parse(settings, (folder / kConfigFile).string(), schemas));
    KURVE_TRY(opened.tokenizers, text::loadRunTokenizers(folder));
    if (const auto tokenizer = tokenizerHash(opened.tokenizers); tokenizer != pin.tokenizer)
        return otherWeights(pin, tokenizer);
    opened.folder = folder;
    return opened;
}

Error otherWeights(const PinnedRun& pin, const std::string& found) {
    return requestError("reference.other_weights",
                        fmt::format("the run {} at {} has other weights now than those that were pinned "
                                    "({:.12}, now {:.12})",
                                    pin.run, pin.checkpoint, pin.weights, found))
        .at(pin.field)
        .fix(fmt::format("restore references/{} of this run, or that checkpoint of {}; with the new weights "
                         "it is another run: train it anew",
                         pin.field, pin.run));
}

}  // namespace kurve::train
