#include "models/diffusia/layer_order.h"

#include <algorithm>

namespace kurve::models::diffusia {

std::vector<LayerCall> layerOrder(NetworkKind kind, std::size_t encoderLayers, std::size_t decoderLayers) {
    std::vector<LayerCall> order;
    const bool spiral = kind == NetworkKind::Diffusia;
    const std::size_t first = spiral ? encoderLayers - std::min(encoderLayers, decoderLayers) : encoderLayers;
    for (std::size_t m = 0; m < first; ++m) order.push_back({false, m, 0});
    for (std::size_t j = 0; j < decoderLayers; ++j) {
        const std::size_t m = first + j;
        if (m < encoderLayers) order.push_back({false, m, j});
        order.push_back({true, j, std::min(m + 1, encoderLayers)});
    }
    return order;
}

}  // namespace kurve::models::diffusia
