//! A fully connected network as an ONNX file, written by hand: a protocol buffer is fields of
//! number, kind and content.

use super::oracle::Generator;

/// ONNX's number for 32-bit floats.
const FLOAT: u64 = 1;

#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn bytes(mut self, field: u64, content: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(content.len() as u64);
        self.0.extend_from_slice(content);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }
}

/// A network with these layer widths, ReLU between them and a sigmoid at the end: the file, and how
/// many parameters it has.
pub(crate) fn network(widths: &[usize]) -> (Vec<u8>, usize) {
    let mut generator = Generator::new();
    let mut graph = Message::default().text(2, "network");
    let mut parameters = 0;
    let mut input = "input".to_owned();
    let layers = widths.len() - 1;
    for layer in 0..layers {
        let [from, to] = [widths[layer], widths[layer + 1]];
        let [weights, bias, sum] = ["weights", "bias", "sum"].map(|part| format!("{part}{layer}"));
        // So that sums are about as large after a layer as before it.
        let scale = (6.0 / from as f32).sqrt();
        let values: Vec<f32> = (0..from * to).map(|_| scale * generator.weight()).collect();
        parameters += from * to + to;
        let (op, output) = if layer + 1 == layers {
            ("Sigmoid", "probability".to_owned())
        } else {
            ("Relu", format!("layer{layer}"))
        };
        graph = graph
            .message(1, &node("Gemm", &[&input, &weights, &bias], &sum))
            .message(1, &node(op, &[&sum], &output))
            .message(5, &tensor(&weights, &[from, to], &values))
            .message(5, &tensor(&bias, &[to], &vec![0.0; to]));
        input = output;
    }
    let graph = graph
        .message(11, &batch("input", widths[0]))
        .message(12, &batch("probability", widths[layers]));
    let opset = Message::default().text(1, "").number(2, 13);
    let model = Message::default()
        .number(1, 8)
        .message(7, &graph)
        .message(8, &opset);
    (model.0, parameters)
}

fn node(op: &str, inputs: &[&str], output: &str) -> Message {
    let node = inputs
        .iter()
        .fold(Message::default(), |node, input| node.text(1, input));
    node.text(2, output).text(3, output).text(4, op)
}

fn tensor(name: &str, shape: &[usize], values: &[f32]) -> Message {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    shape
        .iter()
        .fold(Message::default(), |tensor, &size| {
            tensor.number(1, size as u64)
        })
        .number(2, FLOAT)
        .text(8, name)
        .bytes(9, &bytes)
}

/// An input or output: any number of rows of this width.
fn batch(name: &str, width: usize) -> Message {
    let rows = Message::default().text(2, "N");
    let columns = Message::default().number(1, width as u64);
    let shape = Message::default().message(1, &rows).message(1, &columns);
    let tensor = Message::default().number(1, FLOAT).message(2, &shape);
    let kind = Message::default().message(1, &tensor);
    Message::default().text(1, name).message(2, &kind)
}
