#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_config.h"

namespace torch::nn {
class Module;
}
namespace at {
class Tensor;
}

namespace kurve::train {

class SequenceModel;

/// What a folder of published weights says of its model.
struct PublishedModel {
    std::string preset;                        ///< of the family
    std::vector<Override> settings;            ///< over the preset: sizes, and the data that the model reads
    std::int64_t vocabulary = 0;               ///< rows of its embedding
    std::map<std::string, std::string> names;  ///< published name to that of our parameter, publishedPart()
    std::vector<std::string> computed;         ///< published tensors that are computed here
    std::vector<std::string> unused = {};      ///< those that the model does without: the user is told
    std::string prefix;                        ///< that a name may have before the published one
    /// Tensors that are stored again under another name, and which they must equal; they may be missing.
    std::map<std::string, std::string> repeated = {};
};

/// A frozen network of another run, of which a published folder has a copy.
struct PublishedCopy {
    torch::nn::Module* module = nullptr;
    std::map<std::string, std::string> names;  ///< as PublishedModel::names
    std::string setting;                       ///< the field that names the run
};

/// How the models of a family are published: config.json and names of tensors. One beside each family that
/// knows such models. Stateless.
class PublishedFormat {
public:
    virtual ~PublishedFormat() = default;
    /// Whether config.json (its "model_type" and "architectures") is of such a model.
    [[nodiscard]] virtual bool recognises(const nlohmann::json& config) const = 0;
    /// `tensors`: the names in its weight files; `folder`: where further files of the model lie. Errors:
    /// model.config (a member is missing, of another type, or asks for what the family has not).
    [[nodiscard]] virtual Result<PublishedModel> read(const nlohmann::json& config,
                                                      const std::set<std::string>& tensors,
                                                      const std::filesystem::path& folder) const = 0;
    /// Of a model of this family that was made for such a folder.
    [[nodiscard]] virtual std::optional<PublishedCopy> copyIn(SequenceModel& /*model*/) const {
        return std::nullopt;
    }
};

/// A row of a table of names. "#" stands for the number of a block.
struct PublishedName {
    const char *published, *own;
};
[[nodiscard]] std::map<std::string, std::string> namesFor(std::span<const PublishedName> table,
                                                          std::int64_t blocks);
/// The parameter of that name; of "NAME@1/3" the second third of its rows.
[[nodiscard]] at::Tensor publishedPart(torch::nn::Module& module, const std::string& name);
/// Whether config.json names one of these as "model_type", or an architecture that begins with one. Case does
/// not count.
[[nodiscard]] bool namesModel(const nlohmann::json& config, std::span<const char* const> types);
/// A whole number > 0 of config.json, the fallback where it is not there (0: none). Errors: model.config.
Result<std::int64_t> sizeIn(const nlohmann::json& config, const char* key, std::int64_t fallback = 0);

/// The weight files of such a folder: model.safetensors.index.json and its shards, or the only *.safetensors.
/// Errors: model.pickle (only formats that can run code: says how to convert them), model.no_weights,
/// model.shard (the index names a file that is not there).
Result<std::vector<std::filesystem::path>> publishedWeightFiles(const std::filesystem::path& folder);
Result<std::set<std::string>> publishedTensors(std::span<const std::filesystem::path> files);
/// Copies published weights into a module, F16, BF16, F32 and F64 alike. Nothing is changed unless all fit.
/// Errors: model.tensors (names every tensor that is missing, not expected or of another shape; those that
/// differ from what they repeat, or from the run they are a copy of), model.dtype, model.not_finite,
/// safetensors.*.
Status loadPublishedWeights(std::span<const std::filesystem::path> files, const PublishedModel& model,
                            torch::nn::Module& module, const std::optional<PublishedCopy>& copy = {});

}  // namespace kurve::train
