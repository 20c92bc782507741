#pragma once

#include <cstdint>
#include <vector>

namespace kurve::models::diffusia {

/// DiffuED encodes once; DiffuSIA's encoder reads the decoder's states; without SI (spiral interaction) it
/// reads the decoder's input alone; DiffuSeq is one tower over the condition and the target (Gong et al.
/// 2023).
enum class NetworkKind : std::uint8_t { Diffused, Diffusia, WithoutSi, Diffuseq };

/// One layer in its turn. An encoder layer makes c^{layer+1} from c^{layer} and, where it crosses, x^{reads};
/// a decoder layer makes x^{layer+1} from x^{layer} and c^{reads}.
struct LayerCall {
    bool decoder = false;
    std::size_t layer = 0, reads = 0;
    friend bool operator==(const LayerCall&, const LayerCall&) = default;
};

/// What a layer read when it was computed: layer number `layer` of the source or the target, from its own
/// side's state after `own` layers and the other side's after `other`, -1 where it reads that one not.
struct LayerRead {
    bool target = false;
    std::int64_t layer = 0, own = 0, other = -1;
    friend bool operator==(const LayerRead&, const LayerRead&) = default;
};

/// The order of the layers (DiffuSIA, section 3.2): of DiffuSIA in turns, the encoder first; an encoder with
/// more layers runs the first of them on x^0, a decoder with more the last on the final c. Of DiffuSeq all
/// layers are the encoder's.
[[nodiscard]] std::vector<LayerCall> layerOrder(NetworkKind kind, std::size_t encoderLayers,
                                                std::size_t decoderLayers);

}  // namespace kurve::models::diffusia
