#pragma once

#include "views/common/data/background.h"
#include "views/common/services/prompt_request.h"
#include "views/common/shell/panel.h"
#include "views/frontier/frontier_chart.h"
#include "views/frontier/point_details.h"
#include "views/frontier/sweep_form.h"

class QLabel;
class QLayout;
class QPushButton;

namespace kurve::views {

class ContentOrEmpty;
class FrontTable;
class LastingChoiceBox;
class SliceTable;

/// Denoises the text `row` of a point again with its seed `draw`, with the noise that it drew. Contract: the
/// point has such a text.
[[nodiscard]] PromptRequest requestFor(const frontier::SweepPoint& point, std::size_t row, std::size_t draw,
                                       const QString& runId);

/// Accuracy against diversity: the swept points of the selected runs, their fronts, their values at the
/// same diversity, the texts behind a point, and the sweep builder.
class FrontierPanel : public Panel {
    Q_OBJECT
public:
    explicit FrontierPanel(const StudioContext& context, QWidget* parent = nullptr);

    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    [[nodiscard]] const Plane& plane() const { return plane_; }
    [[nodiscard]] FrontierChart* chart() const { return chart_; }
    /// The chosen axes and the sweep form.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    QWidget* buildPlane();
    QLayout* buildAxes();
    QWidget* buildSide();
    void addCommands();
    void addSweepCommands();
    void connectSweeps();
    /// The settings of the pinned point, from now on. Each use can be undone beside its button.
    void use(SamplerUse where);
    [[nodiscard]] std::vector<RunPoints> selectedRuns() const;  ///< those in the catalog, without points
    void reload();  ///< reads the points of the selected runs again, on a worker
    void showChosen();
    void takeSelection();
    void take(std::vector<RunPoints> runs);
    void fillAxes();
    void redraw();
    void showSlice();
    void showPoint(FrontierChart::PointIndex index);
    /// `draw`: which of the point's seeds.
    void openText(int row, int draw);
    void toggleInReport();
    void showInReport();
    [[nodiscard]] QString planeId() const;  ///< "chrf:distinct-2"
    [[nodiscard]] QString title(const QString& metric) const;
    [[nodiscard]] const frontier::SweepPoint* pointAt(FrontierChart::PointIndex index) const;

    std::vector<RunPoints> runs_;
    Plane plane_;
    LastingChoiceBox *quality_, *diversity_;
    FrontierChart* chart_;
    QLabel* note_;
    PointDetails* details_;
    QPushButton *lasso_ = nullptr, *inReport_ = nullptr;
    SliceTable *slice_, *level_;
    FrontTable* fronts_;
    QLabel* corner_;
    SweepForm* form_;
    ContentOrEmpty* content_ = nullptr;
    Background reading_;
};

}  // namespace kurve::views
