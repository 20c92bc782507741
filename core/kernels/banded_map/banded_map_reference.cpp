#include "core/kernels/banded_map/banded_map.h"

namespace kurve::kernels::reference {

void apply(const RaggedMap& map, const float* in, float* out) {
    const BandRows& band = map.band;
    for (std::int64_t b = 0; b < map.batch; ++b)
        for (std::int64_t i = 0; i < map.outRows; ++i)
            for (std::int64_t c = 0; c < map.width; ++c) {
                double sum = 0;
                if (i < map.rows[b]) {
                    const std::int64_t r = map.table[b] + i;
                    for (std::int64_t w = band.begin[r]; w < band.begin[r + 1]; ++w) {
                        const std::int64_t column = band.first[r] + (w - band.begin[r]);
                        sum += double{band.weight[w]} * in[(b * map.inRows + column) * map.width + c];
                    }
                }
                out[(b * map.outRows + i) * map.width + c] = static_cast<float>(sum);
            }
}

}  // namespace kurve::kernels::reference
