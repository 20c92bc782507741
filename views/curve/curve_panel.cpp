#include "views/curve/curve_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/common/command_registry.h"
#include "views/common/empty_state.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"

namespace kurve::views {

CurvePanel::CurvePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("curve"), tr("Sentence curve"), context, parent),
      canvas_(new ImGuiWidget(this)),
      view_(*canvas_) {
    canvas_->setObjectName(QStringLiteral("curve.canvas"));
    canvas_->setAccessibleName(tr("Sentence curve: control points, curve and words in a plane"));
    canvas_->setDraw([this] { draw(); });
    empty_ = new EmptyState(this);
    connect(empty_, &EmptyState::clicked, this, &CurvePanel::recordedTraceWanted);
    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget(full);
    bar->setProperty("role", "bar");
    column->addWidget(bar);
    column->addWidget(canvas_, 1);
    stack_ = new QStackedLayout(this);
    stack_->addWidget(empty_);
    stack_->addWidget(full);
    context.commands->add(
        {QStringLiteral("curve.fit"), tr("Fit the curve"), tr("View"), Qt::Key_F,
         tr("Show the whole sentence curve")},
        [this] {
            view_.fit();
            canvas_->requestFrame();
        },
        this);
    buildBar(bar);
    connect(context.selection, &Selection::traceChanged, this, &CurvePanel::traceChanged);
    connect(context.selection, &Selection::slotChanged, this, [this](int slot) {
        view_.slot = slot;
        canvas_->requestFrame();
    });
    connect(context.playhead, &Playhead::denoiseStepChanged, this, [this](int step) {
        view_.step = step;
        canvas_->requestFrame();
    });
    traceChanged();
}

CurvePanel::~CurvePanel() = default;

void CurvePanel::addLayer(QHBoxLayout* row, const char* id, const QString& text, const QString& help,
                          bool CurveLayers::*layer) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setCheckable(true);
    button->setChecked(view_.layers.*layer);
    button->setObjectName(QLatin1String("curve.") + QLatin1String(id));
    button->setAccessibleName(text);
    button->setProperty("role", "quiet");
    connect(button, &QToolButton::toggled, this, [this, layer](bool on) {
        view_.layers.*layer = on;
        canvas_->requestFrame();
    });
    row->addWidget(button);
}

void CurvePanel::buildBar(QWidget* bar) {
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kMedium), px(space::kTight));
    row->setSpacing(px(space::kTight));
    addLayer(row, "curve", tr("Curve"), tr("The curve through the sentence"), &CurveLayers::curve);
    addLayer(row, "polygon", tr("Control points"), tr("Control points and their polygon"),
             &CurveLayers::polygon);
    addLayer(row, "words", tr("Words"), tr("The words' places, named with the token shown"),
             &CurveLayers::words);
    addLayer(row, "residuals", tr("Nearest embeddings"),
             tr("Spokes from each word to the nearest vocabulary entry"), &CurveLayers::residuals);
    addLayer(row, "vocabulary", tr("Vocabulary"), tr("All tokens that were candidates"),
             &CurveLayers::vocabulary);
    addLayer(row, "earlier", tr("Earlier steps"), tr("The five steps before, faint"), &CurveLayers::earlier);
    row->addStretch(1);
    auto* fit = new QToolButton(bar);
    fit->setDefaultAction(context().commands->action(QStringLiteral("curve.fit")));
    fit->setText(tr("Fit"));
    fit->setObjectName(QStringLiteral("curve.fit"));
    fit->setAccessibleName(tr("Fit the curve"));
    fit->setProperty("role", "quiet");
    row->addWidget(fit);
}

void CurvePanel::showEvent(QShowEvent* event) {
    // The playhead's keys work here as well; they are registered by the timeline, which may be made later
    // than this.
    for (const auto& entry : context().commands->entries())
        if (!adopted_ && entry.command.id.startsWith(QLatin1String("timeline."))) addAction(entry.action);
    adopted_ = true;
    Panel::showEvent(event);
}

void CurvePanel::traceChanged() {
    background_.drop();
    view_.setModel(nullptr);
    view_.slot = context().selection->slot();
    stack_->setCurrentIndex(0);
    const auto trace = context().selection->trace();
    if (trace == nullptr) {
        empty_->setTexts(
            tr("No sentence curve yet"),
            tr("Type a sentence above and press Ctrl+Enter, or open one that training recorded."),
            tr("Open the newest recording"));
        return;
    }
    empty_->setTexts(tr("Fitting the plane…"), {});
    background_.run([trace] { return CurveModel::create(trace); },
                    [this](const Result<std::shared_ptr<const CurveModel>>& model) { modelReady(model); });
}

void CurvePanel::modelReady(const Result<std::shared_ptr<const CurveModel>>& model) {
    if (!model) {
        const Error& error = model.error();
        empty_->setTexts(tr("This recording has no curve"),
                         QString::fromStdString(error.message + "; " + error.remedy) + QLatin1Char('.'));
        return;
    }
    view_.setModel(*model);
    view_.step = context().playhead->denoiseStep();
    stack_->setCurrentIndex(1);
    canvas_->requestFrame();
}

QString CurvePanel::statement() const {
    const CurveModel* model = view_.model();
    if (model == nullptr) return tr("No sentence curve is shown.");
    return tr("%1; the plane shows %2 % of the variance.")
        .arg(QString::fromStdString(model->description()))
        .arg(100 * model->explained(), 0, 'f', 0);
}

void CurvePanel::draw() {
    const CurveIntent intent = view_.draw();
    if (intent.slot >= 0) context().selection->setSlot(intent.slot);
    if (intent.step >= 0) context().playhead->setDenoiseStep(intent.step);
}

}  // namespace kurve::views
