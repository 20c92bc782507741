#pragma once

#include "views/common/chart/plot_card.h"
#include "views/common/data/run_catalog.h"
#include "views/common/table/view_table.h"

class QComboBox;

namespace kurve::views {

/// How the magnitudes of gradients, weights or activations of one layer group are distributed, step over
/// step: one ridge for each of some of the recorded steps, the newest in front.
class RidgeCard : public PlotCard {
    Q_OBJECT
public:
    explicit RidgeCard(QWidget* parent = nullptr);
    /// `data` may be null: nothing is shown.
    void setRun(const std::shared_ptr<const RunData>& data);
    /// Every recorded step of the shown kind and group, not only those that are drawn.
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    [[nodiscard]] bool hasData() const { return data_ && !data_->histograms.empty(); }
    /// The rows that are drawn of `count`: at most `most`, evenly spread, first and last always among them.
    [[nodiscard]] static std::vector<std::size_t> chosenRows(std::size_t count, std::size_t most);

private:
    /// Of the shown kind and group; null: none.
    [[nodiscard]] const GrowingList<store::HistogramRow>* rows() const;
    [[nodiscard]] QString shown() const;  ///< kind and group, as the histograms are called
    void offer();
    void offerKinds();  ///< those that the run has
    void draw();

    std::shared_ptr<const RunData> data_;
    QComboBox *kind_, *group_;
    QString drawn_;  ///< what the picture shows, so that the same is not drawn again
};

}  // namespace kurve::views
