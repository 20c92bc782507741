#pragma once

#include <QWidget>
#include <functional>

#include "views/frontier/frontier_model.h"

class QLabel;

namespace kurve::views {

/// What every run reaches at the same diversity, with intervals, and whether the pairs can be told apart.
class SliceTable : public QWidget {
    Q_OBJECT
public:
    explicit SliceTable(QWidget* parent = nullptr);
    void show(const Plane& plane, double x, const QString& qualityTitle, const QString& diversityTitle);
    [[nodiscard]] QString text() const;  ///< as shown, without markup

private:
    QLabel *title_, *rows_, *pairs_, *note_;
};

}  // namespace kurve::views
