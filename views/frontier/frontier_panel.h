#pragma once

#include <QJsonObject>
#include <map>

#include "views/common/background.h"
#include "views/common/panel.h"
#include "views/frontier/frontier_chart.h"
#include "views/frontier/point_details.h"
#include "views/frontier/sweep_form.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QLayout;
class QPushButton;

namespace kurve::views {

class FrontTable;
class SliceTable;

/// A text of a pinned point, to be denoised again with a trace.
struct FrontierTrace {
    QString runId, checkpoint, input, reference;
    std::map<QString, QString> settings;  ///< sampler.* of the point
    quint64 seed = 1, row = 0;            ///< the noise that the sentence drew
    QString expected = {};                ///< its output with that seed
};

/// The trace of the text `row` of a point with its seed `draw`. Contract: the point has such a text.
[[nodiscard]] FrontierTrace traceOf(const frontier::SweepPoint& point, std::size_t row, std::size_t draw,
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
    [[nodiscard]] PointDetails& details() { return *details_; }
    [[nodiscard]] SweepForm& form() { return *form_; }
    /// The chosen axes, for the session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

public Q_SLOTS:
    void setSweepStatus(const kurve::views::SweepStatus& status);
    void reload();  ///< reads the points of the selected runs again, on a worker
    /// The planes that the report is to show, "chrf:distinct-2" each.
    void setInReport(const QStringList& planes);

Q_SIGNALS:
    void reportChanged(const QStringList& planes);
    void choiceChanged();  ///< save() differs
    void sweepRequested(const kurve::views::SweepRequest& request);
    void sweepPauseRequested();
    void sweepCancelRequested();
    void traceRequested(const kurve::views::FrontierTrace& trace);
    /// `settings`: the sampler.* of the pinned point of run `runId`, to become what is used from now on.
    void samplerWanted(kurve::views::SamplerUse use, const QString& runId,
                       const QMap<QString, QString>& settings);

private:
    QWidget* buildPlane();
    QLayout* buildAxes();
    QWidget* buildSide();
    void addCommands();
    void addSweepCommands();
    void use(SamplerUse where);
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
    QComboBox *quality_, *diversity_;
    QString wantedQuality_, wantedDiversity_;  ///< what was chosen, also while no run has it
    FrontierChart* chart_;
    QLabel* note_;
    PointDetails* details_;
    QPushButton *lasso_ = nullptr, *inReport_ = nullptr;
    QStringList reportPlanes_;
    SliceTable *slice_, *level_;
    FrontTable* fronts_;
    QLabel* corner_;
    SweepForm* form_;
    QStackedLayout* stack_ = nullptr;
    Background reading_;
};

}  // namespace kurve::views
