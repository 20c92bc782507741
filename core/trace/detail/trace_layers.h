#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "core/store/safetensors.h"
#include "core/trace/trace.h"

namespace kurve::trace::detail {

inline constexpr const char* kFormat = "kurve.trace/2";
inline constexpr const char* kCounter = "frames";  ///< metadata of a file that is still being written

/// What the tensors of a unit's layers begin with: nothing for tokens, "chunk/", "sentence/".
[[nodiscard]] std::string prefixOf(Unit unit);
[[nodiscard]] Unit unitOf(const std::string& tensor);  ///< by that
[[nodiscard]] bool isFrameTensor(const std::string& tensor);
/// Tensor names that a block cannot have.
[[nodiscard]] bool isReserved(const std::string& name);

/// The tensors of a trace as its file holds them, without texts. Refers to the trace.
class TraceTensors {
public:
    /// Blocks in `wide` are F32 whatever their values. Vectors that do not fit steps and positions, and
    /// blocks per step of another number of steps, are a ContractError.
    explicit TraceTensors(const Trace& trace, const std::set<std::string>& wide = {});
    using Named = std::map<std::string, store::TensorView>;
    [[nodiscard]] const Named& frames() const { return frames_; }  ///< first dimension: steps
    [[nodiscard]] const Named& constants() const { return constants_; }
    /// Of a block per step whose values need F32; empty if there is none.
    [[nodiscard]] const std::set<std::string>& tooLarge() const { return tooLarge_; }

private:
    void addFrames(const Trace& trace);
    void addLevel(const Trace& level, const std::set<std::string>& wide);
    void addBlock(const std::string& name, const Block& block, const std::set<std::string>& wide,
                  Named& into);
    void addProbabilities(const std::string& name, std::vector<std::int64_t> shape,
                          const std::vector<float>& values);

    Named frames_, constants_;
    std::set<std::string> tooLarge_;
    std::deque<std::vector<std::uint16_t>> codes_;  ///< what views refer to and the trace does not hold
    std::deque<std::vector<std::int32_t>> axes_;
};

/// "levels" and "axes" of the metadata.
[[nodiscard]] std::string levelsJson(const Trace& trace);
[[nodiscard]] std::string axesJson(int outerLength, int innerLength);

}  // namespace kurve::trace::detail
