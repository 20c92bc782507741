#pragma once

#include <QWidget>
#include <vector>

#include "views/common/data/run_catalog.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"

class QLabel;
class QSlider;

namespace kurve::studio {

/// Event marks over a slider: pauses, changes, alerts; hover shows the text, a click moves the playhead.
class MarkStrip : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    struct Mark {
        qint64 step = 0;
        QString text;
        bool alert = false;
    };
    void setMarks(std::vector<Mark> marks, qint64 last);
    QSize sizeHint() const override;

Q_SIGNALS:
    void chosen(qint64 step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double xOf(qint64 step) const;
    [[nodiscard]] const Mark* near(double x) const;
    std::vector<Mark> marks_;
    qint64 last_ = 0;
};

/// The window's playhead: training step and denoising step, the same in every workspace.
class PlayheadBar : public QWidget {
    Q_OBJECT
public:
    PlayheadBar(views::Playhead& playhead, views::Selection& selection, views::RunCatalog& catalog,
                QWidget* parent = nullptr);

private:
    void takeRun();
    void takeData();
    void showTrainStep();
    void showDenoiseStep();

    views::Playhead& playhead_;
    views::Selection& selection_;
    views::RunCatalog& catalog_;
    QString run_;
    qint64 last_ = 0;
    QSlider *train_, *denoise_;
    QLabel *trainText_, *denoiseText_;
    MarkStrip* marks_;
};

}  // namespace kurve::studio
