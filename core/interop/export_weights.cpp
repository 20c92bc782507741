#include <cstring>

#include "core/base/text.h"
#include "core/interop/detail/json_number.h"
#include "core/interop/export_run.h"
#include "core/interop/table_text.h"
#include "core/store/safetensors.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using store::SafetensorsFile;
using store::TensorView;
using File = std::shared_ptr<const SafetensorsFile>;

/// What evaluation uses: the averaged weights if the checkpoint has them.
Result<File> openWeights(const fs::path& checkpoint) {
    std::error_code ignored;
    const fs::path averaged = checkpoint / "ema.safetensors";
    return SafetensorsFile::open(fs::exists(averaged, ignored) ? averaged
                                                               : checkpoint / "weights.safetensors");
}

bool isReal(const TensorView& tensor) {
    return tensor.dtype == "F32" || tensor.dtype == "F64" || tensor.dtype == "F16" || tensor.dtype == "BF16";
}

double realAt(const TensorView& tensor, std::size_t i) {
    const std::byte* at = tensor.bytes.data() + i * store::elementBytes(tensor.dtype);
    const auto as = [&](auto value) {
        std::memcpy(&value, at, sizeof value);
        return value;
    };
    if (tensor.dtype == "F64") return as(double{});
    if (tensor.dtype == "F32") return as(float{});
    if (tensor.dtype == "F16") return store::fromHalf(as(std::uint16_t{}));
    return std::bit_cast<float>(static_cast<std::uint32_t>(as(std::uint16_t{})) << 16);
}

/// The same tensor of every file; an error if one lacks it or has another shape.
Result<std::vector<const TensorView*>> sameTensor(const std::vector<File>& files, const std::string& name,
                                                  const WeightsSource& source) {
    std::vector<const TensorView*> parts;
    for (std::size_t i = 0; i < files.size(); ++i) {
        parts.push_back(files[i]->find(name));
        if (parts.back() == nullptr || parts.back()->shape != parts.front()->shape)
            return workError("checkpoint.shape", "a tensor differs from that of the other checkpoints")
                .in(source.checkpoints[i].string())
                .at(name);
    }
    return parts;
}

std::vector<float> meanOf(const std::vector<const TensorView*>& parts) {
    std::vector<float> mean(static_cast<std::size_t>(parts.front()->elements()));
    for (std::size_t i = 0; i < mean.size(); ++i) {
        double sum = 0;
        for (const auto* part : parts) sum += realAt(*part, i);
        mean[i] = static_cast<float>(sum / static_cast<double>(parts.size()));
    }
    return mean;
}

}  // namespace

Status writeWeights(const fs::path& file, const WeightsSource& source) {
    KURVE_CHECK(!source.checkpoints.empty(), "no checkpoint");
    std::vector<File> files;
    for (const auto& checkpoint : source.checkpoints) {
        KURVE_TRY(File one, openWeights(checkpoint));
        files.push_back(std::move(one));
    }
    std::map<std::string, TensorView> tensors = files.front()->tensors();
    std::vector<std::vector<float>> means;
    for (auto& [name, tensor] : tensors) {
        KURVE_TRY(const auto parts, sameTensor(files, name, source));
        if (files.size() == 1 || !isReal(tensor)) continue;
        means.push_back(meanOf(parts));
        tensor = {"F32", tensor.shape, std::as_bytes(std::span(means.back()))};
    }
    std::map<std::string, std::string> metadata = source.facts;
    metadata["format"] = "pt";  // required by Python's loaders
    const auto written = store::writeSafetensors(file, tensors, metadata);
    if (!written) return written.error();
    return {};
}

Result<std::string> weightsText(const WeightsSource& source, const std::string& format) {
    KURVE_CHECK(!source.checkpoints.empty(), "no checkpoint");
    KURVE_TRY(const File file, openWeights(source.checkpoints.front()));
    const std::string_view dtypeOfMean = source.checkpoints.size() > 1 ? "F32" : "";
    json list = json::array();
    TableText table(format == "markdown" ? TableText::Form::Markdown : TableText::Form::Csv,
                    std::vector<std::string>{"tensor", "dtype", "shape", "elements"});
    for (const auto& [name, tensor] : file->tensors()) {
        const std::string dtype(isReal(tensor) && !dtypeOfMean.empty() ? dtypeOfMean : tensor.dtype);
        std::vector<std::string> sizes;
        for (const auto size : tensor.shape) sizes.push_back(std::to_string(size));
        const std::string shape = join(sizes, "x");
        if (format == "json")
            list.push_back({{"tensor", name},
                            {"dtype", dtype},
                            {"shape", tensor.shape},
                            {"elements", tensor.elements()}});
        else
            table.add({name, dtype, shape, tensor.elements()});
    }
    if (format != "json") return std::move(table).take();
    return detail::jsonText({{"facts", source.facts}, {"tensors", list}});
}

}  // namespace kurve::interop
