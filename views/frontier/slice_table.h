#pragma once

#include <QWidget>
#include <functional>

#include "views/frontier/frontier_model.h"

class QLabel;

namespace kurve::views {

/// Every run's quality at the same diversity, or its diversity at the same quality, with intervals, and which
/// pairs are distinguishable.
class SliceTable : public QWidget {
    Q_OBJECT
public:
    enum class Equal : unsigned char { Diversity, Quality };
    explicit SliceTable(Equal equal, QWidget* parent = nullptr);
    void show(const Plane& plane, double at, const QString& qualityTitle, const QString& diversityTitle);
    [[nodiscard]] QString text() const;  ///< as shown, without markup

private:
    [[nodiscard]] QString whyNot(const FrontCurve& curve, double at) const;
    Equal equal_;
    QLabel *title_, *rows_, *pairs_, *note_;
};

}  // namespace kurve::views
