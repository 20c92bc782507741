#pragma once

#include <QObject>
#include <vector>

#include "app/studio/panels.h"
#include "app/studio/tour_card.h"

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// The tour of four stops: train, look inside, compare, your own text. Each points at the real panel, says
/// one sentence and offers one action. It begins by itself once in a user's life, on a project with bundled
/// runs (a copy of the sample), if `offered`, and from the Help menu at any time.
class GuidedTour : public QObject {
    Q_OBJECT
public:
    GuidedTour(MainWindow& window, ProjectSession& session, bool offered);
    void begin();
    /// Goes on at a stop, as after a change of zoom, which builds the window anew.
    void go(std::size_t stop);
    void leave() { card_->leave(); }
    [[nodiscard]] bool isRunning() const { return !card_->isHidden(); }
    [[nodiscard]] int stop() const { return static_cast<int>(at_); }
    [[nodiscard]] TourCard& card() { return *card_; }

private:
    struct Stop {
        WorkspaceId workspace;
        QString panel;
        TourCard::Text text;
        std::function<void()> act;
    };
    void addStops();
    void beginIfNew();
    void play();

    MainWindow& window_;
    ProjectSession& session_;
    std::vector<Stop> stops_;
    std::size_t at_ = 0;
    TourCard* card_;
};

}  // namespace kurve::studio
