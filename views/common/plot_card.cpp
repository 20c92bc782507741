#include "views/common/plot_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/common/plot_style.h"
#include "views/common/qcustomplot.h"

namespace kurve::views {

PlotCard::PlotCard(const QString& id, const QString& title, QWidget* parent)
    : QFrame(parent), title_(new QLabel(title)), caption_(new QLabel), plot_(new QCustomPlot) {
    setObjectName(id);
    setProperty("role", "card");
    title_->setProperty("role", "title");
    title_->setMinimumWidth(px(80));  // cut before it keeps a window wide
    title_->setToolTip(title);
    caption_->setObjectName(id + QStringLiteral(".caption"));
    caption_->setProperty("role", "caption");
    caption_->setTextFormat(Qt::RichText);
    caption_->installEventFilter(this);
    caption_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    plot_->setObjectName(id + QStringLiteral(".plot"));
    plot_->setAccessibleName(title);
    plot_->setMinimumHeight(px(90));
    plot_->installEventFilter(this);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(px(10), px(7), px(10), 0);
    top->setSpacing(px(space::kMedium));
    top->addWidget(title_);
    top->addWidget(caption_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(1), px(1), px(1), px(2));
    column->setSpacing(px(2));
    column->addLayout(top);
    column->addWidget(plot_, 1);

    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        Q_EMIT hovered(plot_->xAxis->pixelToCoord(event->position().x()),
                       plot_->yAxis->pixelToCoord(event->position().y()));
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        stylePlot(plot_);
        Q_EMIT restyled();
        queueReplot();
    });
    stylePlot(plot_);
}

void PlotCard::setTitle(const QString& title) {
    title_->setText(title);
    title_->setToolTip(title);
    plot_->setAccessibleName(title);
}

void PlotCard::setCaption(const QStringList& parts) {
    captionParts_ = parts;
    showParts(parts);
}

void PlotCard::setReadout(const QStringList& parts) {
    showParts(parts);
}

void PlotCard::showParts(const QStringList& parts) {
    shownParts_ = parts;
    qsizetype count = parts.size();
    do caption_->setText(parts.mid(0, count).join(QStringLiteral("&nbsp;&nbsp; ")));
    while (caption_->sizeHint().width() > caption_->width() && --count > 0);
    // What a narrow card has to leave out can still be read.
    const bool whole = count == parts.size();
    caption_->setToolTip(whole ? QString() : parts.join(QStringLiteral("<br>")));
}

void PlotCard::addToTitle(QWidget* widget) {
    auto* top = qobject_cast<QHBoxLayout*>(layout()->itemAt(0)->layout());
    top->insertWidget(1, widget);
}

void PlotCard::queueReplot() {
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

QString PlotCard::key(const QColor& color, const QString& text, const QString& glyph) {
    return QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3")
        .arg(color.name(), glyph, text.toHtmlEscaped());
}

QSize PlotCard::sizeHint() const {
    return {px(420), px(240)};
}

bool PlotCard::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::Leave) {
        showParts(captionParts_);
        Q_EMIT left();
    }
    if (watched == caption_ && event->type() == QEvent::Resize) showParts(QStringList(shownParts_));
    return QFrame::eventFilter(watched, event);
}

}  // namespace kurve::views
