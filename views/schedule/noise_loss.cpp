#include "views/schedule/noise_loss.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/wire/fields.h"
#include "views/common/data/histogram_bins.h"

namespace kurve::views {

NoiseLoss noiseLossOf(const GrowingList<store::HistogramRow>& rows, std::int64_t step) {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        if (step >= 0 && row->step > step) continue;
        const auto json = nlohmann::json::parse(row->json, nullptr, false);
        const wire::Fields bins(json);
        const std::vector<double> edges = bins.numbers("edges"), values = bins.numbers("values"),
                                  weights = bins.numbers("weights");
        const auto centre = [&](std::size_t i) { return (edges[i] + edges[i + 1]) / 2; };
        NoiseLoss loss;
        loss.step = row->step;
        for (std::size_t i = 0; i < values.size() && i + 1 < edges.size(); ++i) {
            const double weight = i < weights.size() ? weights[i] : 1;
            if (!(weight > 0) || std::isnan(values[i]) || std::isnan(centre(i))) continue;
            loss.logSnr.push_back(centre(i));
            loss.loss.push_back(values[i]);
            loss.levels.push_back({edges[i], edges[i + 1], values[i], weight});
        }
        if (loss.loss.empty()) continue;
        HistogramBins gradients = histogramBins(bins, "gradient"),
                      shares = histogramBins(bins, "probability");
        loss.gradientLogSnr = std::move(gradients.centres);
        loss.gradient = std::move(gradients.values);
        loss.probabilityLogSnr = std::move(shares.centres);
        loss.probability = std::move(shares.values);
        return loss;
    }
    return {};
}

}  // namespace kurve::views
