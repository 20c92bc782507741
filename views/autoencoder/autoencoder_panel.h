#pragma once

#include <array>
#include <utility>

#include "core/base/result.h"
#include "views/autoencoder/reconstruction.h"
#include "views/common/data/background.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/at_most_every.h"
#include "views/common/shell/panel.h"

class QListView;
class QTableWidget;

namespace kurve::views {

class AutoencoderControls;
class ChunkListModel;
class LatentPlane;
class LineChart;
struct RunData;

/// The autoencoder bench: a text in chunks, what a run with an autoencoder of chunks gives back of it under
/// noise on their vectors, what lies between two of them, and the vectors in a plane. The engine answers
/// while one types or drags, one question at a time.
class AutoencoderPanel : public Panel {
    Q_OBJECT
public:
    explicit AutoencoderPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override { refresh(); }
    [[nodiscard]] const ChunkListModel& chunks() const { return *model_; }
    [[nodiscard]] LatentPlane& plane() const { return *plane_; }
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildContent();
    void buildList();
    void connectAll();
    void takeSelection();
    void newWeights();
    void refresh();
    /// Headline and sentence; an empty headline: there is nothing to keep the panel from working.
    [[nodiscard]] std::pair<QString, QString> whyNot() const;
    [[nodiscard]] QString whatFor() const;
    void showAccuracy(const RunData& data);
    void request();
    void reconstruct();
    void take(const Result<nlohmann::json>& answer, const QString& text);
    void showMade(Reconstruction made, bool sameText);
    void askCloud();
    void chooseEnds();
    void setEnds(std::array<int, 2> rows);
    void showBetween(const QStringList& texts);
    void clear(const QString& problem);

    WatchedRuns watched_{context().catalog};
    QString run_;
    AutoencoderControls* controls_;
    ChunkListModel* model_;
    QListView* list_;
    QTableWidget* between_;
    QWidget *chunksCard_ = nullptr, *betweenCard_ = nullptr;
    LatentPlane* plane_;
    LineChart* accuracy_;
    std::array<int, 2> ends_{-1, -1};
    Reconstruction made_;
    QString answered_;     ///< the text of made_
    int ticket_ = 0;       ///< answers to older ones are of other weights
    bool asking_ = false;  ///< a question is in progress
    bool again_ = false;   ///< it is out of date already
    bool clouded_ = false;
    AtMostEvery asks_;
    Background corpus_;
};

}  // namespace kurve::views
